import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import type { SettingProblem, Step } from '#features/feature.ts';
import { nearest } from '#jobs/requests/command.ts';
import { codeOf } from '#store/engines/database.ts';
import { type ConfigFile, configFile, namedIn } from './file-schema.ts';
import type { ConfigProblem, ReadFile } from './values.ts';

/** `value` is null if there are problems. @param check gets the top-level keys, too */
export function loadConfigFile(
  path: string | undefined,
  readFile: ReadFile,
  check: (file: ConfigFile, keys: readonly string[]) => Iterable<SettingProblem>,
) {
  const loaded = (value: ConfigFile | null, given: object, ...messages: readonly string[]) => ({
    value,
    problems: messages.map(
      (message): ConfigProblem => ({
        variable: 'DOCS_AGENT_CONFIG',
        message,
        example: 'docs-agent.example.yml',
      }),
    ),
    named: namedIn(given),
  });
  let text = '';
  try {
    if (path !== undefined) text = readFile(path);
  } catch (error) {
    return loaded(null, {}, `names a file that cannot be read (${codeOf(error)})`);
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  // Later errors follow from the first.
  const [slip] = document.errors;
  if (slip !== undefined) return loaded(null, {}, `line ${lineAt(slip.pos[0])}: ${slip.message}`);
  let given: object;
  try {
    given = document.toJS() ?? {};
  } catch {
    // Its aliases expand too far.
    return loaded(null, {}, 'line 1: refers to itself, or nests too deeply');
  }
  /** Known keys, by path. */
  const keys = new Map<string, readonly string[]>();
  const parsed = configFile.safeParse(given, {
    error: ({ code, inst, path = [] }) => {
      if (code === 'unrecognized_keys' && inst instanceof z.ZodObject)
        keys.set(path.join(), Object.keys(inst.shape));
      return undefined;
    },
  });
  const wrongs = parsed.success
    ? [...check(parsed.data, Object.keys(given))]
    : withoutFollowUpErrors(
        parsed.error.issues.flatMap((issue) => wrongsOf(issue, keys)),
        document,
      );
  if (parsed.success && wrongs.length === 0) return loaded(parsed.data, given);
  const messages = wrongs
    .map((wrong) => ({ ...wrong, line: lineAt(offsetOf(document, wrong.path)) }))
    .sort((a, b) => a.line - b.line)
    .map(({ line, path: at, message }) => `line ${line}: ${`${nameOf(at)} ${message}`.trim()}`);
  return loaded(null, given, ...messages);
}

type FileWrong = SettingProblem & { readonly meant?: string | null };

/** One problem per place. A misspelt key isn't reported as missing, too. */
function withoutFollowUpErrors(wrongs: readonly FileWrong[], document: Document): SettingProblem[] {
  const places = wrongs.map(({ path }) => nameOf(path));
  return wrongs.flatMap(({ path, message }, index) => {
    const place = nameOf(path);
    const isThere = path.length === 0 || document.hasIn(path);
    const isMeant = !isThere && wrongs.some(({ meant }) => meant === place);
    if (isMeant || places.indexOf(place) < index) return [];
    return [{ path, message: isThere ? message : 'is missing' }];
  });
}

function wrongsOf(issue: z.core.$ZodIssue, keys: ReadonlyMap<string, readonly string[]>): FileWrong[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const name = nearest(key.toLowerCase(), keys.get(path.join()) ?? []);
        const hint = name === null ? '' : `: did you mean ${name}?`;
        const meant = name && nameOf([...path, name]);
        return { path: [...path, key], message: `is not a setting of this file${hint}`, meant };
      });
    case 'invalid_key':
      return [{ path, message: issue.issues[0]?.message ?? issue.message }];
    case 'invalid_type':
      return [{ path, message: `must be ${KINDS[issue.expected] ?? issue.expected}` }];
    default:
      return [{ path, message: issue.message }];
  }
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'a map',
  record: 'a map',
  boolean: 'true or false',
  string: 'text',
};

/** Falls back to the nearest parent. */
function offsetOf(document: Document, path: readonly Step[]): number {
  const around = path.slice(0, -1);
  const parent = document.getIn(around, true);
  const key = isMap(parent) && parent.items.find((pair) => String(pair.key) === String(path.at(-1)))?.key;
  const node = isNode(key) ? key : document.getIn(path, true);
  if (isNode(node)) return node.range?.[0] ?? 0;
  return path.length === 0 ? 0 : offsetOf(document, around);
}

/** `projects[1].name` */
function nameOf(path: readonly Step[]) {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${step}`))
    .join('');
}
