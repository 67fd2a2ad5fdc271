/** What a call is to the local Slack, which has no `reactions.get`, but shows a message with its reactions. */
export const reactionsGet = {
  isMeant: (url: string): boolean => url.endsWith('/reactions.get'),

  url: (url: string): string => url.replace(/reactions\.get$/, 'conversations.replies'),

  form: (form: string): string => {
    const given = new URLSearchParams(form);
    return new URLSearchParams({
      channel: given.get('channel') ?? '',
      ts: given.get('timestamp') ?? '',
    }).toString();
  },

  answer: (answer: string): string => {
    const { ok, messages = [], ...rest } = JSON.parse(answer) as Replies;
    if (!ok) return JSON.stringify({ ok, ...rest });
    const [message] = messages;
    return JSON.stringify(
      message === undefined ? { ok: false, error: 'message_not_found' } : { ok, type: 'message', message },
    );
  },
} as const;

interface Replies {
  readonly ok: boolean;
  readonly messages?: readonly unknown[];
}
