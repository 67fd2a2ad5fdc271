import type { JobEvent, Reply } from '../../../src/jobs/event.ts';
import { aReply } from './builders.ts';

/** Something that happened to a reply in Slack. */
interface Happening {
  readonly what: 'written' | 'edited' | 'deleted';
  readonly reply: Reply;
}

/** What people wrote in a thread, and what of it Slack has told the program, as the listeners understand it. */
export class Thread {
  /** What Slack has not told of yet. */
  readonly untold: Happening[] = [];
  private readonly written: Reply[] = [];
  /** Null: deleted. */
  private readonly known = new Map<string, Reply | null>();
  private edits = 0;

  /** A person writes. Returns the reply's timestamp. */
  write(text: string, mentionsBot = false): string {
    const messageTs = `2.${String(this.written.length + 1).padStart(6, '0')}`;
    const reply = aReply({ messageTs, text, mentionsBot });
    this.written.push(reply);
    this.untold.push({ what: 'written', reply });
    return messageTs;
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

  /** How many replies were written. */
  get size(): number {
    return this.written.length;
  }

  /** What it means to the job that Slack tells of this; null: nothing. */
  tell(index: number): JobEvent | null {
    const [happening] = this.untold.splice(index, 1);
    if (happening === undefined) return null;
    const { what, reply } = happening;
    const before = this.known.get(reply.messageTs);
    if (what === 'deleted') {
      this.known.set(reply.messageTs, null);
      return before === undefined ? null : { type: 'reply_deleted', messageTs: reply.messageTs };
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

  /** The text of a reply as far as Slack has told; null: it is deleted. */
  told(messageTs: string): string | null {
    return this.known.get(messageTs)?.text ?? null;
  }

  /** The replies that stand, as far as Slack has told. */
  get standing(): Reply[] {
    return [...this.known.values()].filter((reply) => reply !== null);
  }
}
