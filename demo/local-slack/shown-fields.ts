interface Envelope {
  readonly payload?: {
    readonly type?: string;
    readonly view?: { readonly blocks?: readonly Block[]; readonly state?: { readonly values: Values } };
  };
}

interface Block {
  readonly block_id?: string;
  readonly element?: { readonly action_id?: string; readonly initial_value?: string };
}

type Values = Record<string, Record<string, { value?: string | null }>>;

/**
 * The envelope of a form that somebody sends, as Slack delivers it: a field that nobody has typed in contains what it
 * showed at first. The local Slack shows that as well, but delivers null. Any other envelope as it is.
 */
export function withShownFields(envelope: string): string {
  if (!envelope.includes('"view_submission"')) return envelope;
  const parsed = JSON.parse(envelope) as Envelope;
  const { type, view } = parsed.payload ?? {};
  if (type !== 'view_submission') return envelope;
  for (const { block_id: block = '', element } of view?.blocks ?? []) {
    const field = view?.state?.values[block]?.[element?.action_id ?? ''];
    if (field?.value === null && element?.initial_value !== undefined) field.value = element.initial_value;
  }
  return JSON.stringify(parsed);
}
