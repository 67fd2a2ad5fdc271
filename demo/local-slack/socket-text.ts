import { Transform } from 'node:stream';

const TEXT = 1;
const FINAL = 0x80;
const MASKED = 0x80;
const KEY_LENGTH = 4;

/** Where the parts of a WebSocket frame are. https://www.rfc-editor.org/rfc/rfc6455#section-5.2 */
interface Frame {
  readonly isText: boolean;
  readonly isMasked: boolean;
  readonly start: number;
  readonly end: number;
}

/**
 * One direction of a WebSocket connection that has no extensions: the messages of text are put as `rewrite` says,
 * all else passes as it is, and so does text in several frames.
 */
export function rewrittenText(rewrite: (text: string) => string): Transform {
  let pending: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      pending = Buffer.concat([pending, chunk]);
      for (let frame = nextFrame(pending); frame !== null; frame = nextFrame(pending)) {
        this.push(frame.isText ? rewrittenFrame(pending, frame, rewrite) : pending.subarray(0, frame.end));
        pending = pending.subarray(frame.end);
      }
      done();
    },
  });
}

/** Null until it has arrived completely. */
function nextFrame(bytes: Buffer): Frame | null {
  if (bytes.length < 2) return null;
  const [first = 0, second = 0] = bytes;
  const isMasked = (second & MASKED) !== 0;
  const short = second & ~MASKED;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + lengthBytes + (isMasked ? KEY_LENGTH : 0);
  if (bytes.length < start) return null;
  const length =
    lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const end = start + length;
  return bytes.length < end ? null : { isText: first === (FINAL | TEXT), isMasked, start, end };
}

function rewrittenFrame(bytes: Buffer, frame: Frame, rewrite: (text: string) => string): Buffer {
  const { isMasked, start, end } = frame;
  const content = Buffer.from(bytes.subarray(start, end));
  if (isMasked) {
    const key = bytes.subarray(start - KEY_LENGTH, start);
    for (const [index, byte] of content.entries()) content[index] = byte ^ (key[index % KEY_LENGTH] ?? 0);
  }
  const text = Buffer.from(rewrite(content.toString()));
  // A key of zeros changes nothing.
  return Buffer.concat([head(text.length, isMasked), Buffer.alloc(isMasked ? KEY_LENGTH : 0), text]);
}

function head(length: number, isMasked: boolean): Buffer {
  const mask = isMasked ? MASKED : 0;
  if (length < 126) return Buffer.from([FINAL | TEXT, mask | length]);
  if (length < 65_536) {
    const short = Buffer.from([FINAL | TEXT, mask | 126, 0, 0]);
    short.writeUInt16BE(length, 2);
    return short;
  }
  const long = Buffer.from([FINAL | TEXT, mask | 127, 0, 0, 0, 0, 0, 0, 0, 0]);
  long.writeBigUInt64BE(BigInt(length), 2);
  return long;
}
