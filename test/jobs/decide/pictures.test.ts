import { expect, test } from 'vitest';
import type { Snippet, UnsentFile } from '../../../src/jobs/requests/attachments.ts';
import { aReply, SECOND_MS } from '../support/builders.ts';
import { aJobBeingCreated } from '../support/stages.ts';
import { accepts, edits, goesOut, happens, live, passes, says, tsOf } from '../support/story.ts';
import type { World } from '../support/world.ts';

const pictureOf = (name: string): Snippet => ({ name, url: `https://files.slack.com/${name}` });
const fileOf = (name: string): UnsentFile => ({ kind: 'image', name, picture: pictureOf(name) });

/** A job of an agent that takes pictures. */
function aJobWithPictures(): World {
  const world = aJobBeingCreated();
  world.created({ can: ['images'] });
  return world;
}

function deliver(world: World, type: 'reply_received' | 'message_completed', names: readonly string[]) {
  const facts = { messageTs: '1.500000', text: 'Use it', attachments: withPictures(names) };
  world.apply({ type, reply: aReply(facts) });
}

const withPictures = (names: readonly string[]) => ({ snippets: [], others: names.map(fileOf) });

const sent = ({ calls }: World) =>
  calls.flatMap(({ request }) =>
    request.kind === 'send_message' ? [[request.prompt, ...(request.pictures ?? [])]] : [],
  );

test('a message call holds the addresses of its pictures, which are not named as not sent (R4)', () => {
  const world = aJobWithPictures();
  deliver(world, 'reply_received', ['a.png', 'b.png']);
  deliver(world, 'message_completed', ['a.png', 'b.png']);
  world.advance(4 * SECOND_MS);
  expect(sent(world)).toEqual([['Use it', pictureOf('a.png'), pictureOf('b.png')]]);
  expect(world.news.join()).not.toContain('not sent');
});

test.each([0, 10])(
  'pictures that only the second event of a reply has go along, %i s later too (R3)',
  (s) => {
    const world = aJobWithPictures();
    deliver(world, 'reply_received', []);
    world.advance(s * SECOND_MS);
    if (s > 0) world.accepted();
    deliver(world, 'message_completed', ['a.png']);
    world.advance(10 * SECOND_MS);
    const later = ['See a.png', pictureOf('a.png')];
    expect(sent(world)).toEqual(s > 0 ? [['Use it'], later] : [['Use it', pictureOf('a.png')]]);
  },
);

test('a reply that is kept from the agent keeps its pictures from it (F4)', () => {
  const attachments = withPictures(['a.png']);
  const world = live(aJobWithPictures(), says('aside: look', { attachments }), passes(10 * SECOND_MS));
  expect(sent(world)).toEqual([]);
  expect([...world.followUps.values()].map(({ pictures }) => pictures)).toEqual([undefined]);
});

test('an agent that takes none gets none: they are named at once (R4)', () => {
  const world = aJobBeingCreated();
  world.created();
  deliver(world, 'reply_received', ['a.png']);
  expect(world.news.at(-1)).toBe('not sent: a.png');
  world.advance(4 * SECOND_MS);
  expect(sent(world)).toEqual([['Use it']]);
});

test('pictures of several replies that one call would not take go in two, and none is dropped (R4)', () => {
  const world = aJobWithPictures();
  for (const person of [1, 2]) {
    const names = Array.from({ length: 5 }, (_, index) => `${person}-${index}.png`);
    live(world, says(`Use ${person}`, { attachments: withPictures(names) }));
  }
  live(world, goesOut, accepts, goesOut);
  expect(sent(world).map(([prompt, ...pictures]) => [prompt, pictures.length])).toEqual([
    ['Use 1', 5],
    ['Use 2', 5],
  ]);
});

test('a correction of a reply does not send its pictures again (F3, R4)', () => {
  const written = says('Use it', { attachments: withPictures(['a.png']) });
  const world = live(aJobWithPictures(), written, goesOut, accepts, edits(1, 'Use the other'));
  live(world, happens({ type: 'correction_pressed', messageTs: tsOf(1) }), goesOut);
  expect(sent(world).at(-1)).toEqual(['Correction of an earlier message: Use the other']);
});

test('what is not sent is named without its address, with what the agent takes (R4)', () => {
  const others: UnsentFile[] = [fileOf('a.png'), { kind: 'video', name: 'b.mp4' }];
  const world = live(aJobWithPictures(), says('Use it', { attachments: { snippets: [], others } }));
  const announced = world.calls.flatMap(({ request }) =>
    request.kind === 'announce' && request.announcement.kind === 'files_not_sent' ? request.announcement : [],
  );
  expect(announced).toEqual([
    { kind: 'files_not_sent', files: [{ kind: 'video', name: 'b.mp4' }], takesPictures: true },
  ]);
});
