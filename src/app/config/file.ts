import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { nearest } from '../../jobs/requests/project.ts';
import { contradictions, misplaced } from './file-contradictions.ts';
import { type ConfigFile, configFile, keysAt, type NamedSecrets, namedSecrets } from './file-schema.ts';
import { type ConfigProblem, failureCode, type Step, type Wrong } from './problems.ts';
import type { ReadFile } from './values.ts';

const VARIABLE = 'DOCS_AGENT_CONFIG';

/** A file, or null and all of its problems; and the secrets that it names, as far as it can be read. */
interface Loaded {
  readonly value: ConfigFile | null;
  readonly problems: readonly ConfigProblem[];
  readonly secrets: NamedSecrets;
}

/** The file at DOCS_AGENT_CONFIG, with all of its problems; an empty one without that setting. */
export function loadConfigFile(path: string | undefined, isOauth: boolean, readFile: ReadFile): Loaded {
  if (path === undefined) return legible(configFile.parse({}));
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    return illegible(`names a file that cannot be read${failureCode(error)}`);
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  // The others follow from it.
  const [slip] = document.errors;
  if (slip !== undefined) {
    const { pos, message } = slip;
    return illegible(`line ${lineAt(pos[0])}: ${message.split(' at line ', 1)[0] ?? 'is not YAML'}`);
  }
  let given: object;
  try {
    given = document.toJS() ?? {};
  } catch {
    // Its aliases would expand to far more than the file.
    return illegible('line 1: refers to itself, or nests too deeply');
  }
  const parsed = configFile.safeParse(given);
  const wrongs = parsed.success
    ? [...contradictions(parsed.data), ...misplaced(parsed.data, Object.keys(given), isOauth)]
    : withoutEchoes(parsed.error.issues.flatMap(wrongsOf), document);
  if (parsed.success && wrongs.length === 0) return legible(parsed.data);
  const found = wrongs.map((wrong) => ({ ...wrong, line: lineAt(offsetOf(document, wrong.path)) }));
  const sorted = found.sort((a, b) => a.line - b.line);
  return {
    value: null,
    problems: sorted.map(({ line, path: at, message }) =>
      problem(`line ${line}: ${`${nameOf(at)} ${message}`.trim()}`),
    ),
    secrets: namedSecrets.parse(given),
  };
}

function problem(message: string): ConfigProblem {
  return { variable: VARIABLE, message, example: 'docs-agent.example.yml' };
}

function legible(value: ConfigFile): Loaded {
  return { value, problems: [], secrets: value };
}

function illegible(message: string): Loaded {
  return { value: null, problems: [problem(message)], secrets: namedSecrets.parse({}) };
}

/**
 * One message per mistake: the first at each place; a missing key is left out if it is there under a misspelt
 * name.
 */
function withoutEchoes(wrongs: readonly FileWrong[], document: Document): Wrong[] {
  const meant = new Set(wrongs.flatMap((one) => (one.meant === undefined ? [] : [nameOf(one.meant)])));
  return wrongs
    .filter(({ path }, index) => wrongs.findIndex((one) => nameOf(one.path) === nameOf(path)) === index)
    .filter(({ path }) => !meant.has(nameOf(path)) || document.hasIn(path))
    .map((one) =>
      one.path.length === 0 || document.hasIn(one.path) ? one : { ...one, message: 'is missing' },
    );
}

interface FileWrong extends Wrong {
  readonly meant?: readonly Step[];
}

function wrongsOf(issue: z.core.$ZodIssue): FileWrong[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const name = nearest(key.toLowerCase(), keysAt(configFile, path));
        const hint = name === null ? '' : `: did you mean ${name}?`;
        const wrong = { path: [...path, key], message: `is not a setting of this file${hint}` };
        return name === null ? wrong : { ...wrong, meant: [...path, name] };
      });
    case 'invalid_key':
      return [{ path, message: issue.issues[0]?.message ?? issue.message }];
    case 'invalid_type':
      return [{ path, message: `must be ${kinds[issue.expected] ?? issue.expected}` }];
    default:
      return [{ path, message: issue.message }];
  }
}

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'a map',
  record: 'a map',
  boolean: 'true or false',
  string: 'text',
};

/** The offset of the value, or of its nearest parent in the file. */
function offsetOf(document: Document, path: readonly Step[]): number {
  const last = path.at(-1);
  const parent = document.getIn(path.slice(0, -1), true);
  if (isMap(parent)) {
    const key = parent.items.find((pair) => String(pair.key) === String(last))?.key;
    if (isNode(key)) return key.range?.[0] ?? 0;
  }
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (isNode(node)) return node.range?.[0] ?? 0;
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1));
}

/** `projects[1].name` */
function nameOf(path: readonly Step[]): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${step}`))
    .join('');
}
