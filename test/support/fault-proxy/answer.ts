import type { ServerResponse } from 'node:http';
import type { Fault } from './fault.ts';
import type { Exchange } from './forward.ts';

/** Answers a call as the fault says. `pass` lets the call happen, and gives its right answer. */
export async function answerCall(
  response: ServerResponse,
  fault: Fault | null,
  pass: () => Exchange | Promise<Exchange>,
): Promise<void> {
  const write = ({ status, headers, body }: Exchange) => response.writeHead(status, headers).end(body);
  const writeError = (error: string) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ok: false, error }));
  };

  if (fault === null) write(await pass());
  else if (fault === 'reset_before') response.destroy();
  else if (fault === 'reset_after') {
    await pass();
    response.destroy();
  } else if (fault === 'half_body') {
    const { status, headers, body } = await pass();
    response.writeHead(status, { ...headers, 'content-length': String(body.length) });
    response.write(body.subarray(0, body.length / 2), () => response.destroy());
  } else if (fault === 'error_after') {
    await pass();
    response.writeHead(500).end();
  } else if (fault === 'hang') return;
  else if ('forwardAfter' in fault) {
    await fault.forwardAfter;
    write(await pass());
  } else if ('lateAfter' in fault) {
    response.destroy();
    await fault.lateAfter;
    await pass();
  } else if ('answerAfter' in fault) {
    const exchange = await pass();
    await fault.answerAfter;
    write(exchange);
  } else if ('errorAfter' in fault) {
    await pass();
    writeError(fault.errorAfter);
  } else if ('error' in fault) writeError(fault.error);
  else response.writeHead(fault.status, { 'content-type': 'text/plain', ...fault.headers }).end(fault.body);
}
