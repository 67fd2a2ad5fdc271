import type { SlackMessage } from '../../support/local-slack.ts';
import { alice, bob, general } from '../../support/local-slack.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import type { ModelWorld } from './model-world.ts';

/** A `/docs-agent` command, or a mention, and what is known at once of what came of it. */
export interface Asked {
  /** Is in the prompt, and nowhere else. */
  readonly mark: string;
  readonly channel: string;
  readonly user: string;
  /** Slack had the program's word that a command is kept. */
  isAccepted: boolean;
  /** Of a mention: it counts as accepted when one of its deliveries was acknowledged. */
  mentionTs: string | null;
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
    const { asked, text } = this.#newRequest(channel, isBob);
    const answer = await this.#world.slack.control.command({ channel, user: asked.user, text });
    asked.isAccepted = answer.acknowledged && !answer.payload;
  }

  async mention(isBob: boolean): Promise<void> {
    const { asked, text } = this.#newRequest(general, isBob);
    const words = `<@${strictApp.botUserId}> ${text}`;
    const { ts } = await this.#world.slack.control.message({
      channel: general,
      user: asked.user,
      text: words,
    });
    asked.mentionTs = ts;
  }

  #newRequest(channel: string, isBob: boolean): { readonly asked: Asked; readonly text: string } {
    const user = isBob ? bob : alice;
    const mark = `request-${this.asked.length + 1};`;
    const asked: Asked = { mark, channel, user, isAccepted: false, mentionTs: null };
    this.asked.push(asked);
    return { asked, text: `${mark} document <@${bob}>'s rate &amp; limits` };
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
      threadTs: threadOf(card),
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

/** A job's card: of the program's messages, it alone has the prompt in quotation marks. */
export function isCard({ user, subtype, text }: SlackMessage): boolean {
  return user === strictApp.botUserId && subtype === undefined && text.includes('“');
}

export function threadOf({ ts, thread_ts: threadTs }: SlackMessage): string {
  return threadTs ?? ts;
}
