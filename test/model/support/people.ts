import type { SlackMessage } from '../../support/local-slack.ts';
import { alice, bob, general } from '../../support/local-slack.ts';
import type { ModelWorld } from './model-world.ts';

/** A `/docs-agent` command, and what its author was told at once. */
export interface Asked {
  /** Is in the prompt, and nowhere else. */
  readonly mark: string;
  readonly channel: string;
  readonly user: string;
  /** Slack had the program's word that it is kept. */
  isAccepted: boolean;
}

/** A person's message in the thread of a card. */
export interface Reply {
  /** Is in every version of its text, and nowhere else. */
  readonly mark: string;
  readonly asked: Asked;
  message: SlackMessage;
  /** What can be sent of it: false for blank ones. */
  readonly isSendable: boolean;
  /** The texts that it had, the newest last. */
  readonly texts: string[];
  isDeleted: boolean;
  /** How many rests there had been when the program had confirmed the reply, or its last change; else null. */
  knownAtRest: number | null;
}

/** A button that was pressed. */
export interface Press {
  readonly message: SlackMessage;
  readonly actionId: string;
}

/** What tells events about messages apart. */
interface TellTale {
  readonly ts?: string;
  readonly deleted_ts?: string;
  readonly message?: { readonly text?: string };
}

const BUTTONS = ['run_again', 'start_again', 'send_again', 'retry'];

/** What people did in Slack: the truth that the program is held against. */
export class People {
  readonly asked: Asked[] = [];
  readonly replies: Reply[] = [];
  readonly presses: Press[] = [];
  readonly #world: ModelWorld;

  constructor(world: ModelWorld) {
    this.#world = world;
  }

  async ask(channel: string, isBob: boolean): Promise<void> {
    const user = isBob ? bob : alice;
    const mark = `request-${this.asked.length + 1};`;
    const asked: Asked = { mark, channel, user, isAccepted: false };
    this.asked.push(asked);
    const answer = await this.#world.slack.control.command({
      channel,
      user,
      text: `${mark} document <@${bob}>'s rate &amp; limits`,
    });
    asked.isAccepted = answer.acknowledged && !answer.payload;
  }

  /** In one of the threads, if there is one. */
  async reply(pick: number, kind: 'words' | 'blank'): Promise<void> {
    const cards = (await this.#world.slack.control.messages(general)).filter(isCard);
    const card = cards[pick % cards.length];
    const asked = this.asked.find(({ mark }) => card?.text.includes(mark));
    if (card === undefined || asked === undefined) return;
    const mark = `reply-${this.replies.length + 1};`;
    const text = kind === 'blank' ? '​' : `${mark} please`;
    const placeholder = { ...card, ts: '', text };
    const reply: Reply = {
      mark,
      asked,
      message: placeholder,
      isSendable: kind === 'words',
      texts: [text],
      isDeleted: false,
      knownAtRest: null,
    };
    this.replies.push(reply);
    reply.message = await this.#world.slack.control.message({
      channel: card.channel,
      user: bob,
      text,
      threadTs: card.ts,
    });
    reply.knownAtRest = this.#restIfConfirmed(({ ts }) => ts === reply.message.ts);
  }

  async edit(pick: number): Promise<void> {
    const reply = this.#pick(pick);
    if (reply === undefined || !reply.isSendable) return;
    const text = `${reply.mark} please, version ${reply.texts.length + 1}`;
    reply.texts.push(text);
    await this.#world.slack.control.editMessage(reply.message, text);
    reply.knownAtRest = this.#restIfConfirmed(({ message }) => message?.text === text);
  }

  async remove(pick: number): Promise<void> {
    const reply = this.#pick(pick);
    if (reply === undefined) return;
    reply.isDeleted = true;
    await this.#world.slack.control.deleteMessage(reply.message);
    reply.knownAtRest = this.#restIfConfirmed(({ deleted_ts }) => deleted_ts === reply.message.ts);
  }

  /** One of all the buttons that can be seen. */
  async press(pick: number, times: number): Promise<void> {
    const buttons = await this.buttons();
    const button = buttons[pick % buttons.length];
    if (button === undefined) return;
    await this.pressAll(Array.from({ length: times }, () => button));
  }

  async pressAll(presses: readonly Press[]): Promise<void> {
    this.presses.push(...presses);
    const { control } = this.#world.slack;
    await Promise.all(presses.map(({ message, actionId }) => control.press(message, actionId, alice)));
  }

  /** Every button that makes something happen, the oldest first. */
  async buttons(): Promise<Press[]> {
    const messages = await this.#world.slack.control.messages(general);
    // The card repeats what its thread offers.
    const posts = messages.filter((message) => !isCard(message));
    return posts.flatMap((message) =>
      (message.blocks ?? [])
        .flatMap(({ elements = [] }) => elements.map(({ action_id = '' }) => action_id))
        .filter((actionId) => BUTTONS.includes(actionId))
        .map((actionId) => ({ message, actionId })),
    );
  }

  #restIfConfirmed(isIt: (event: TellTale) => boolean): number | null {
    const isConfirmed = this.#world.slack
      .deliveries()
      .some(
        ({ payload, acknowledgedAtMs }) =>
          acknowledgedAtMs !== null && isIt((payload.event ?? {}) as TellTale),
      );
    return isConfirmed ? this.#world.time.rests.length : null;
  }

  #pick(pick: number): Reply | undefined {
    const there = this.replies.filter(({ isDeleted, message }) => !isDeleted && message.ts !== '');
    return there[pick % there.length];
  }
}

/** The root of a job's thread: it quotes the prompt, and is not a notice. */
export function isCard(message: SlackMessage): boolean {
  const isRoot = message.thread_ts === undefined || message.thread_ts === message.ts;
  return isRoot && message.subtype === undefined && !message.text.startsWith('📝');
}
