import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A transaction held at its COMMIT until the test lets it go on or cuts its connection. */
export interface HeldCommit {
  pass(): void;
  cut(): void;
}

/** Between the program and a Postgres server. */
export interface DatabaseProxy extends AsyncDisposable {
  /** The address of the database, through the proxy. */
  readonly url: string;
  /** Cuts all connections, and every new one at once, until it is mended. */
  cut(): void;
  mend(): void;
  /**
   * From now on nothing goes through, and nothing is cut: the server hangs. Connections stay so when it is
   * mended; new ones go through then.
   */
  standStill(): void;
  /**
   * Holds the next transaction whose statements and values, as sent over the wire, match `said`; resolves
   * once it is held. `before`: its COMMIT has not reached the server. `after`: the server has carried it out,
   * and the answer is held.
   */
  hold(where: 'before' | 'after', said: RegExp): Promise<HeldCommit>;
}

/** The message with which the program's driver begins and ends transactions: a type, a length, the statement. */
const BEGIN = /^Q.{4}start transaction [^\0]+\0$/s;
const COMMIT = /^Q.{4}commit\0$/s;

interface Hold {
  readonly where: 'before' | 'after';
  readonly said: RegExp;
  readonly held: (commit: HeldCommit) => void;
}

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const holds: Hold[] = [];
  let isCut = false;
  let isStill = false;

  const server = createServer((client) => {
    if (isCut) client.destroy();
    else if (isStill) sockets.add(client.pause());
    else relay(client, connect(Number(target.port || 5432), target.hostname), holds, sockets);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);

  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    mend: () => {
      isCut = false;
      isStill = false;
    },
    standStill: () => {
      isStill = true;
      for (const socket of sockets) socket.pause();
    },
    hold: (where, said) => new Promise((held) => holds.push({ where, said, held })),
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

function relay(client: Socket, upstream: Socket, holds: Hold[], sockets: Set<Socket>): void {
  const cut = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const socket of [client, upstream]) {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      cut();
    });
  }
  let transaction = '';
  let holdsAnswer: Hold | null = null;

  // The driver waits for each answer, so a statement that has no parameters is a chunk of its own.
  client.on('data', (chunk) => {
    const text = chunk.toString('latin1');
    transaction = BEGIN.test(text) ? '' : transaction + text;
    const index = COMMIT.test(text) ? holds.findIndex(({ said }) => said.test(transaction)) : -1;
    const [hold] = index < 0 ? [] : holds.splice(index, 1);
    if (hold?.where === 'before') hold.held({ pass: () => upstream.write(chunk), cut });
    else {
      holdsAnswer = hold ?? null;
      upstream.write(chunk);
    }
  });
  upstream.on('data', (chunk) => {
    holdsAnswer?.held({ pass: () => client.write(chunk), cut });
    if (holdsAnswer === null) client.write(chunk);
    holdsAnswer = null;
  });
}
