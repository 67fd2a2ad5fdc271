import type { SlackMessage } from '../../support/local-slack.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import type { ModelWorld } from './model-world.ts';
import { scene } from './scene.ts';
import type { PersonAction } from './steps.ts';

/** A `/docs-agent` command, a mention or a direct message, and what is known at once of its outcome. */
export interface Asked {
  /** Is in the prompt, and nowhere else. */
  readonly mark: string;
  readonly channel: string;
  /** Slack had the program's word that a command is kept. */
  isAccepted: boolean;
  /** Of a mention or direct message: it counts as accepted when one of its deliveries was acknowledged. */
  messageTs: string | null;
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
  /** The program has confirmed it. */
  isConfirmed: boolean;
}

/** A button, and who presses it. */
interface Button {
  readonly message: SlackMessage;
  readonly actionId: string;
  readonly user: string;
}

const BUTTONS = ['start_again', 'edit_and_start', 'send_again'];

/** What people did in Slack: the truth that the program is held against. */
export class People {
  readonly asked: Asked[] = [];
  readonly replies: Reply[] = [];
  readonly #world: ModelWorld;

  constructor(world: ModelWorld) {
    this.#world = world;
  }

  async ask({ by, channel, user }: Extract<PersonAction, { readonly do: 'ask' }>): Promise<void> {
    const mark = `request-${this.asked.length + 1};`;
    const text = `${mark} document <@${this.#anybody}>'s rate &amp; limits`;
    const { control } = this.#world.slack;
    const open = scene.channels.find((one) => one === channel) ?? scene.channels[0];
    const place = { command: channel, mention: open, direct_message: user }[by];
    const asked: Asked = { mark, channel: place, isAccepted: false, messageTs: null };
    this.asked.push(asked);
    if (by === 'command') {
      const answer = await control.command({ channel, user, text });
      asked.isAccepted = answer.acknowledged && !answer.payload;
      return;
    }
    const words = by === 'mention' ? `<@${strictApp.botUserId}> ${text}` : text;
    asked.messageTs = (await control.message({ channel: place, user, text: words })).ts;
  }

  /** In one of the threads, if there is one. */
  async reply(pick: number, kind: 'words' | 'blank'): Promise<void> {
    const cards = (await this.#messages()).filter(({ message }) => isCard(message));
    const { message: card, owner } = cards[pick % cards.length] ?? {};
    const asked = this.asked.find(({ mark }) => card?.text.includes(mark));
    if (card === undefined || asked === undefined) return;
    await this.#replyTo(asked, card, owner ?? this.#anybody, kind);
  }

  async edit(pick: number): Promise<void> {
    const reply = this.#pick(pick);
    if (reply === undefined || !reply.isSendable) return;
    const text = `${reply.mark} please, version ${reply.texts.length + 1}`;
    reply.texts.push(text);
    await this.#world.slack.control.editMessage(reply.message, text);
  }

  async remove(pick: number): Promise<void> {
    const reply = this.#pick(pick);
    if (reply === undefined) return;
    reply.isDeleted = true;
    await this.#world.slack.control.deleteMessage(reply.message);
  }

  /** One of all the buttons that can be seen. */
  async press(pick: number, times: number): Promise<void> {
    const buttons = await this.buttons();
    const button = buttons[pick % buttons.length];
    if (button === undefined) return;
    await this.pressAll(Array.from({ length: times }, () => button));
  }

  async pressAll(presses: readonly Button[]): Promise<void> {
    const { control } = this.#world.slack;
    const press = ({ message, actionId, user }: Button) => control.press(message, actionId, user);
    const opensForm = ({ actionId }: Button) => actionId === 'edit_and_start';
    await Promise.all(presses.filter((one) => !opensForm(one)).map(press));
    // Whoever has the form open sends it as it is, before the next one is opened.
    for (const one of presses.filter(opensForm)) {
      await press(one);
      await this.#world.time.rest();
      if (control.modal(one.user) !== null) await control.submit(one.user, {});
    }
  }

  /** Every button that makes something happen, the oldest first. */
  async buttons(): Promise<Button[]> {
    // The card repeats what its thread offers.
    const posts = (await this.#messages()).filter(({ message }) => !isCard(message));
    return posts.flatMap(({ message, owner }) =>
      (message.blocks ?? [])
        .flatMap(({ elements = [] }) => elements.map(({ action_id = '' }) => action_id))
        .filter((actionId) => BUTTONS.includes(actionId))
        .map((actionId) => ({ message, actionId, user: owner ?? scene.people[0] })),
    );
  }

  get #anybody(): string {
    return scene.people[1];
  }

  async #replyTo(asked: Asked, card: SlackMessage, user: string, kind: 'words' | 'blank'): Promise<void> {
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
      isConfirmed: false,
    };
    this.replies.push(reply);
    reply.message = await this.#world.slack.control.message({
      channel: card.channel,
      user,
      text,
      threadTs: threadOf(card),
    });
    reply.isConfirmed = this.#isConfirmed(reply.message);
  }

  /** Wherever jobs run; of a direct message, with its only reader. */
  async #messages(): Promise<{ readonly message: SlackMessage; readonly owner: string | null }[]> {
    const { slack } = this.#world;
    const read = async (place: string, owner: string | null) =>
      (await slack.control.messages(place)).map((message) => ({ message, owner }));
    const places = [
      ...scene.channels.map((channel) => read(channel, null)),
      ...scene.people.map((person) => read(person, person)),
    ];
    return (await Promise.all(places)).flat();
  }

  #isConfirmed(message: SlackMessage): boolean {
    // It is one of the last.
    const delivery = this.#world.slack.deliveries().findLast(({ payload, acknowledgedAtMs }) => {
      const { ts } = (payload.event ?? {}) as { readonly ts?: string };
      return acknowledgedAtMs !== null && ts === message.ts;
    });
    return delivery !== undefined;
  }

  #pick(pick: number): Reply | undefined {
    const there = this.replies.filter(({ isDeleted, message }) => !isDeleted && message.ts !== '');
    return there[pick % there.length];
  }
}

/**
 * A job's card: of the program's messages, it alone offers *Details*. Private answers at the top level of direct
 * messages may do so, too.
 */
function isCard({ user, subtype, text, channel, thread_ts: threadTs }: SlackMessage): boolean {
  const isPrivateAnswer = channel.startsWith('D') && threadTs === undefined;
  return (
    user === strictApp.botUserId && subtype === undefined && text.includes('[Details]') && !isPrivateAnswer
  );
}

function threadOf({ ts, thread_ts: threadTs }: SlackMessage): string {
  return threadTs ?? ts;
}
