import type { Taken, World } from '../../jobs/support/world.ts';

/** The replies that stand and can be sent, by the mark that each of them begins with. */
export function sendableMarks(world: World): string[] {
  return world.thread.standing.flatMap(({ text }) => {
    const mark = /^#\d+ /.exec(text)?.[0];
    return mark === undefined || text.length > world.policy.promptMaxLength ? [] : [mark];
  });
}

/** When the API took the reply, in its order. */
export function takingsOf(world: World, mark: string): Taken[] {
  return world.taken.filter(({ kind, prompt }) => kind === 'send_message' && prompt.includes(mark));
}

/** What the API took again, though neither a person nor the operator's settings had asked for it. */
export function doubled(world: World): string[] {
  const creates = world.taken.filter(({ kind }) => kind === 'create_job');
  return [
    ...creates.slice(0, -1).flatMap((taken) => (mayStartAgain(world, taken) ? [] : ['the prompt'])),
    ...sendableMarks(world).flatMap((mark) =>
      takingsOf(world, mark)
        .slice(0, -1)
        .flatMap((taken) => (maySendAgain(world, taken) ? [] : [`reply ${mark}`])),
    ),
  ];
}

function mayStartAgain(world: World, { callId, isAnswered }: Taken): boolean {
  const creates = world.calls.filter(({ request }) => request.kind === 'create_job');
  const number = creates.findIndex(({ id }) => id === callId) + 1;
  const isPressed = world.events.some((event) =>
    event.type === 'run_again_pressed'
      ? event.creates === number
      : !isAnswered && event.type === 'start_again_pressed' && event.callId === callId,
  );
  return isPressed || (!isAnswered && world.policy.retryUnknown === 'all');
}

function maySendAgain(world: World, { callId, isAnswered }: Taken): boolean {
  if (isAnswered) return false;
  const isPressed = world.events.some((event) => event.type === 'resend_pressed' && event.callId === callId);
  return isPressed || world.policy.retryUnknown !== 'never';
}
