import { describe, expect, test } from 'vitest';
import { textOf } from '../../../src/slack/messages/said.ts';
import { fc } from '../../support/properties.ts';
import { plainText, raw, rich, section, shown, text } from './a-block.ts';

describe('whatever comes', () => {
  const word = fc.stringMatching(/^[a-z]{3,8}[<>&|*~`]?[a-z]{2}$/);
  interface Tree {
    readonly block: unknown;
    readonly leaves: readonly string[];
  }
  const all = (of: (words: string) => unknown) =>
    word.map((words): Tree => ({ block: of(words), leaves: [words] }));
  const around = (inside: fc.Arbitrary<Tree[]>, of: (blocks: unknown[]) => unknown) =>
    inside.map(
      (trees): Tree => ({
        block: of(trees.map(({ block }) => block)),
        leaves: trees.flatMap(({ leaves }) => leaves),
      }),
    );
  const leaf = fc.oneof(
    all(plainText),
    all((words) => ({ type: 'header', text: plainText(words) })),
    all((words) => ({ type: 'context', elements: [plainText(words)] })),
    all((words) => rich({ type: 'rich_text_quote', elements: [text(words)] })),
    all((words) => rich(section(text(words), { type: 'emoji', name: 'x' }))),
    all((words) => ({ type: 'image', alt_text: words })),
    all((words) => ({ type: 'markdown', text: words })),
    all((words) => ({ type: 'button', text: words, url: 'https://a.example' })),
    all((words) => ({ type: 'tomorrow', anything: { at: [{ all: words }] } })),
  );
  const { tree } = fc.letrec<{ tree: Tree }>((tie) => {
    const inside = fc.array(tie('tree'), { maxLength: 4 });
    return {
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        around(inside, (blocks) => ({ type: 'container', child_blocks: blocks })),
        around(inside, (blocks) => ({ type: 'carousel', elements: blocks })),
        around(inside, (blocks) => ({ type: 'plan', tasks: blocks })),
        around(inside, (blocks) => ({ type: 'tomorrow', parts: { list: blocks } })),
        around(inside, (blocks) => ({ type: 'table', rows: [blocks, ...blocks.map((block) => [block])] })),
      ),
    };
  });

  test('each word of each block is there', () => {
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 4 }), (trees) => {
        const said = shown(...trees.map(({ block }) => block))
          .replace(/\\+\|/g, '|')
          .replaceAll('``', '`');
        for (const words of trees.flatMap(({ leaves }) => leaves)) expect(said).toContain(words);
      }),
    );
  });

  test('nothing breaks it', () => {
    const types = 'table section rich_text rich_text_list image video call overflow checkboxes date';
    const keys = fc.constantFrom(...'type text elements rows title url options style offset call'.split(' '));
    const values = fc.oneof(fc.constantFrom(...types.split(' ')), fc.jsonValue());
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, values, fc.array(tie('any')), fc.dictionary(keys, tie('any'))),
    }));
    fc.assert(
      fc.property(any, (given) => {
        const message = { text: '', bot_id: 'B1', blocks: [given], attachments: [given, { blocks: given }] };
        expect(typeof textOf(message)).toBe('string');
      }),
    );
  });

  test.each<[string, (count: number) => object]>([
    ['cells', (count) => ({ blocks: [{ type: 'table', rows: Array(count).fill([raw('a|b')]) }] })],
    ['paragraphs', (count) => ({ text: 'a\n'.repeat(count), blocks: Array(count).fill(plainText('a\nb')) })],
    ['opened tokens', (count) => ({ attachments: [{ is_share: true, text: '<@U1|'.repeat(count) }] })],
  ])('the time grows with the message, not faster: %s', (_what, of) => {
    const best = (count: number) => {
      const message = { text: '', bot_id: 'B1', ...of(count) };
      return Math.min(
        ...[1, 2].map(() => {
          const before = process.threadCpuUsage();
          textOf(message);
          return process.threadCpuUsage(before).user;
        }),
      );
    };
    best(1_000);
    // Four times as much takes sixteen times as long where it is squared.
    expect(best(20_000)).toBeLessThan(best(5_000) * 9 + 50_000);
  });
});
