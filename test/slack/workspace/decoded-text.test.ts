import { describe, expect, test } from 'vitest';
import { decodedText } from '../../../src/slack/workspace/snippet-reader.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const SJIS = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);

describe('a text is read as it was written (R4)', () => {
  test.each<[string, Buffer, string | null, string]>([
    ['in UTF-8', Buffer.from('café 日本'), null, 'café 日本'],
    ['in UTF-8 with a mark', Buffer.from('\ufeffcafé'), 'iso-8859-1', 'café'],
    ['in UTF-8, which is declared as another', Buffer.from('café'), 'iso-8859-1', 'café'],
    ['in Windows-1252', latin('caf\u00e9 \u0080 5 \u0096 6'), null, 'café € 5 – 6'],
    ['in Windows-1252, which is declared as UTF-8', latin('caf\u00e9'), 'utf-8', 'café'],
    ['in UTF-16 with a mark', utf16('\ufeffcafé'), null, 'café'],
    ['in UTF-16 of the other order', utf16('\ufeffcafé').swap16(), 'utf-8', 'café'],
    ['in a declared encoding', SJIS, 'Shift_JIS', '日本'],
    [
      'in one that XML declares',
      Buffer.concat([latin('<?xml version="1.0" encoding="shift_jis"?>'), SJIS]),
      null,
      '<?xml version="1.0" encoding="shift_jis"?>日本',
    ],
    ['in one that nobody knows', Buffer.from('café'), 'x-nothing', 'café'],
    [
      'about encodings',
      Buffer.from('coding: shift_jis is old, café'),
      null,
      'coding: shift_jis is old, café',
    ],
    ['with the colours of a terminal', latin('\u001b[31mred\u001b[0m\n'), null, '\u001b[31mred\u001b[0m\n'],
    ['that is empty', Buffer.alloc(0), null, ''],
  ])('%s', (_how, bytes, charset, text) => {
    expect(decodedText(bytes, charset)).toBe(text);
  });
});

test.each<[string, Buffer]>([
  ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['an archive', latin('PK\u0003\u0004 and so on')],
  ['a PDF', latin('%PDF-1.7\n%\u00e2\u00e3')],
  ['Rich Text', latin('{\\rtf1\\ansi a}')],
  ['bytes with zeros', Buffer.from([71, 0, 0, 16, 0, 1])],
  ['UTF-16 without a mark', utf16('a: 1\nb: café')],
  ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x61])],
  ['control characters', Buffer.from(Array.from({ length: 60 }, (_, index) => (index % 8) + 1))],
])('is no text: %s (R4)', (_what, bytes) => {
  expect(decodedText(bytes, null)).toBeNull();
});
