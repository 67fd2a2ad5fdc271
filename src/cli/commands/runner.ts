import { parseArgs } from 'node:util';
import { parseRunnerConfig } from '#app/config/config.ts';
import { processLog } from '#app/operations/logger.ts';
import { TurnFailedError } from '#runner/failures.ts';
import { startRunner } from '#runner/runner.ts';
import { systemClock } from '#runtime/clock.ts';
import { EXIT_CONFIG, type Host } from '../command.ts';

export async function runner(args: string[], { env }: Host): Promise<number> {
  parseArgs({ args });
  const config = parseRunnerConfig(env);
  const { log, output } = processLog(config.logLevel);
  process.on('unhandledRejection', (reason) => log.error('unhandled_rejection', { error: reason }));
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  // `disconnect`: the parent has exited.
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, () => stop());
  try {
    const service = await Promise.race([startRunner(config, { clock: systemClock, log }), stopped]);
    if (service === undefined) return 0;
    log.info('runner_started', { port: service.port, agents: service.agents });
    await stopped;
    await service.stop();
  } catch (error) {
    if (!(error instanceof TurnFailedError)) throw error;
    console.error(`RUNNER_COMMAND${env.DOCS_AGENT_CONFIG ? ' or DOCS_AGENT_CONFIG' : ''}: ${error.message}`);
    return EXIT_CONFIG;
  }
  await output.flush();
  return 0;
}
