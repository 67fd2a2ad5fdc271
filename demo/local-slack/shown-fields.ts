interface Envelope {
  readonly payload?: {
    readonly type?: string;
    readonly view?: { readonly blocks?: readonly Block[]; readonly state?: { readonly values: Values } };
  };
}

interface Block {
  readonly block_id?: string;
  readonly element?: Readonly<Record<string, unknown>> & { readonly action_id?: string };
}

type Values = Record<string, Record<string, Record<string, unknown>>>;

const SHOWN = [
  ['value', 'initial_value'],
  ['selected_option', 'initial_option'],
  ['selected_options', 'initial_options'],
] as const;

/**
 * The envelope of a form that somebody sends, as Slack delivers it: a field that nobody has touched contains what it
 * has at first. The local Slack delivers null or no options, for emptied check boxes too. Any other envelope as it is.
 */
export function withShownFields(envelope: string): string {
  if (!envelope.includes('"view_submission"')) return envelope;
  const parsed = JSON.parse(envelope) as Envelope;
  const { type, view } = parsed.payload ?? {};
  if (type !== 'view_submission') return envelope;
  for (const { block_id: block = '', element = {} } of view?.blocks ?? []) {
    const field = view?.state?.values[block]?.[element.action_id ?? ''] ?? {};
    for (const [name, initial] of SHOWN) {
      const isUntouched = field[name] === null || (Array.isArray(field[name]) && field[name].length === 0);
      if (isUntouched && element[initial] !== undefined) field[name] = element[initial];
    }
  }
  return JSON.stringify(parsed);
}
