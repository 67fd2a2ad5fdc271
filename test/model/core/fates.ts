import { CORRECTION } from '../../jobs/support/builders.ts';
import type { World } from '../../jobs/support/world.ts';
import type { Taken } from '../../jobs/support/world-facts.ts';

/** The replies that are meant for the agent and can be sent, by the mark that each of them begins with. */
export function sendableMarks(world: World): string[] {
  const notMeant = [...world.followUps.values()].filter(({ state }) => state === 'muted');
  return world.thread.standing.flatMap(({ text, messageTs }) => {
    const mark = /^#\d+ /.exec(text)?.[0];
    const isMeant = notMeant.every((one) => one.messageTs !== messageTs);
    return mark === undefined || !isMeant || text.length > world.policy.promptMaxLength ? [] : [mark];
  });
}

/** When the API took the reply, in its order. */
export function takingsOf(world: World, mark: string): Taken[] {
  return world.taken.filter(({ kind, prompt }) => kind === 'send_message' && prompt.includes(mark));
}

/** What the API took again, though nobody had asked for it. */
export function doubled(world: World): string[] {
  const creates = world.taken.filter(({ kind }) => kind === 'create_job');
  return [
    ...creates.slice(0, -1).flatMap((taken) => (mayStartAgain(world, taken) ? [] : ['the prompt'])),
    ...sendableMarks(world).flatMap((mark) =>
      takingsOf(world, mark)
        .filter(({ prompt }) => !prompt.includes(CORRECTION + mark))
        .slice(0, -1)
        .flatMap((taken) => (maySendAgain(world, taken) ? [] : [`reply ${mark}`])),
    ),
  ];
}

function mayStartAgain(world: World, { callId, isAnswered }: Taken): boolean {
  const creates = world.calls.filter(({ request }) => request.kind === 'create_job');
  const number = creates.findIndex(({ id }) => id === callId) + 1;
  return world.events.some(
    (event) =>
      (event.type === 'request_edited' && event.creates === number) ||
      (event.type === 'start_again_pressed' &&
        (event.creates === number || (!isAnswered && event.callId === callId))),
  );
}

function maySendAgain(world: World, { callId, isAnswered }: Taken): boolean {
  if (isAnswered) return false;
  return world.events.some(
    (event) => event.type === 'resend_pressed' && (event.callId === callId || event.callId === null),
  );
}
