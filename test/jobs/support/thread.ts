import type { JobEvent, Reply } from '../../../src/jobs/event.ts';
import { noAttachments } from '../../../src/jobs/requests/attachments.ts';
import { aReply } from './builders.ts';

/** Something that happened to a reply in Slack. */
interface Happening {
  readonly what: 'written' | 'edited' | 'deleted';
  readonly reply: Reply;
}

/** By whom, with what, and whether the bot is mentioned. */
export type Said = Pick<Reply, 'mentionsBot' | 'userId' | 'attachments'>;

/** What people wrote in a thread, and what of it Slack has delivered, as the listeners understand it. */
export class Thread {
  /** What Slack has not delivered yet. */
  readonly untold: Happening[] = [];
  private readonly written: Reply[] = [];
  private messages = 0;
  /** Null: deleted. */
  private readonly known = new Map<string, Reply | null>();
  private edits = 0;

  /** A person writes. Returns the reply's timestamp. */
  write(text: string, said: Partial<Said> = {}): string {
    const { mentionsBot = false, userId = 'U2', attachments = noAttachments } = said;
    const messageTs = this.nextTs();
    const reply = aReply({ messageTs, text, mentionsBot, userId, attachments });
    this.written.push(reply);
    this.untold.push({ what: 'written', reply });
    return messageTs;
  }

  /** The program shows what a person wrote in its form. Returns the timestamp of that message, which nobody can change. */
  show(text: string, userId: string): string {
    const messageTs = this.nextTs();
    this.known.set(messageTs, aReply({ messageTs, text, userId, mentionsBot: true }));
    return messageTs;
  }

  /** Of a reply, if there is one. */
  timestampOf(pick: number): string | undefined {
    return this.written[pick % this.written.length]?.messageTs;
  }

  /** A person changes a reply, if there is one. */
  edit(pick: number, change: (text: string) => string): void {
    const reply = this.written[pick % this.written.length];
    if (reply === undefined) return;
    this.edits += 1;
    const editedTs = `3.${String(this.edits).padStart(6, '0')}`;
    this.untold.push({ what: 'edited', reply: { ...reply, text: change(reply.text), editedTs } });
  }

  /** A person deletes a reply, if there is one. */
  remove(pick: number): void {
    const reply = this.written[pick % this.written.length];
    if (reply !== undefined) this.untold.push({ what: 'deleted', reply });
  }

  /** How many replies were written, the form included. */
  get size(): number {
    return this.messages;
  }

  private nextTs(): string {
    this.messages += 1;
    return `2.${String(this.messages).padStart(6, '0')}`;
  }

  /** The event that its delivery is for the job; null: none. */
  tell(index: number): JobEvent | null {
    const [happening] = this.untold.splice(index, 1);
    if (happening === undefined) return null;
    const { what, reply } = happening;
    const before = this.known.get(reply.messageTs);
    if (what === 'deleted') {
      this.known.set(reply.messageTs, null);
      return {
        type: 'reply_deleted',
        messageTs: reply.messageTs,
        ...(before === undefined && { overtaken: reply }),
      };
    }
    if (before === undefined) {
      this.known.set(reply.messageTs, reply);
      return { type: 'reply_received', reply };
    }
    if (what === 'written') return null;
    if (before !== null && (before.editedTs ?? '') < (reply.editedTs ?? '')) {
      this.known.set(reply.messageTs, reply);
    }
    return { type: 'reply_edited', reply };
  }

  /** The text of a reply as last delivered; null: it is deleted. */
  told(messageTs: string): string | null {
    return this.known.get(messageTs)?.text ?? null;
  }

  /** The replies that are not deleted, as far as Slack has delivered. */
  get standing(): Reply[] {
    return [...this.known.values()].filter((reply) => reply !== null);
  }
}
