import type { IncomingMessage } from 'node:http';

/** Why a body was not read, with the HTTP status for it. */
export interface Unread {
  readonly status: 400 | 413 | 503;
  readonly reason: string;
}

/** Reads the bodies of requests before anybody can tell who sent them. */
export interface BodyReader {
  read(request: IncomingMessage, limitBytes: number): Promise<Buffer | Unread>;
}

/** For all of them together: a small share of the smallest machine in docs/operations/deploy.md. */
const TOGETHER_BYTES = 32 * 1024 * 1024;
/** The cost of a chunk's object besides its bytes. A sender decides how small chunks are. */
const PIECE_BYTES = 256;

interface Reading {
  giveUp(): void;
}

/**
 * Bounds the memory of all unfinished bodies together. Without room, the body that has been arriving longest
 * is given up: Slack sends its requests at once, so slow ones are somebody else's.
 */
export function createBodyReader(togetherBytes = TOGETHER_BYTES): BodyReader {
  /** The oldest first. */
  const readings = new Set<Reading>();
  let heldBytes = 0;

  const makeRoom = () => {
    for (const reading of readings) {
      if (heldBytes <= togetherBytes) return;
      reading.giveUp();
    }
  };

  return {
    read: (request, limitBytes) => {
      const early = tooLongBody(request, limitBytes);
      if (early !== null) return Promise.resolve(early);
      const { promise, resolve } = Promise.withResolvers<Buffer | Unread>();
      let pieces: Buffer[] = [];
      let bytes = 0;
      const finish = (result: Buffer | Unread) => {
        if (!readings.delete(reading)) return;
        heldBytes -= bytes + pieces.length * PIECE_BYTES;
        pieces = [];
        resolve(result);
      };
      const reading = { giveUp: () => finish({ status: 503, reason: 'too many unfinished requests' }) };
      readings.add(reading);
      request.on('data', (piece: Buffer) => {
        if (!readings.has(reading)) return;
        pieces.push(piece);
        bytes += piece.length;
        heldBytes += piece.length + PIECE_BYTES;
        if (bytes > limitBytes) finish(tooLong(limitBytes));
        else makeRoom();
      });
      request.on('end', () => finish(Buffer.concat(pieces)));
      // `close` without `end`: the sender is gone.
      for (const event of ['error', 'close']) {
        request.on(event, () => finish({ status: 400, reason: 'not read' }));
      }
      return promise;
    },
  };
}

/** The refusal of a body that declares itself too long. */
export function tooLongBody({ headers }: IncomingMessage, limitBytes: number): Unread | null {
  return Number(headers['content-length'] ?? 0) > limitBytes ? tooLong(limitBytes) : null;
}

function tooLong(limitBytes: number): Unread {
  return { status: 413, reason: `more than ${limitBytes} bytes` };
}
