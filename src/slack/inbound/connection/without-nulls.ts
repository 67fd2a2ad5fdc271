/** As deep as a listener, or Bolt, looks: the choice in a field of a form. */
const DEPTH = 6;

/**
 * What Slack sent, without the members that are null: it says null where it has nothing, of some fields always and of
 * others now and then; Bolt and the listeners take only what is absent for nothing. Nulls in lists stay.
 */
export function withoutNulls<Value extends object>(value: Value): Value {
  return stripped(value, DEPTH) as Value;
}

function stripped(value: unknown, depth: number): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => stripped(element, depth - 1));
  const told = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(told.map(([name, member]) => [name, stripped(member, depth - 1)]));
}
