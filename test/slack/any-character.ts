import { fc } from '../support/properties.ts';

/** Any code point: control characters, every script, emoji, and halves of surrogate pairs. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0x2ff }), fc.integer({ min: 0, max: 0x10ffff }))
  .map((codePoint) => String.fromCodePoint(codePoint));
