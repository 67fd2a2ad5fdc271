import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { contradictions } from './contradictions.ts';
import { misplaced, type Step, type Ways, type Wrong } from './misplaced.ts';
import { type ConfigFile, configFile } from './schema.ts';

/** What is wrong in the file, and where; lines count from 1. */
export interface FileProblem {
  readonly line: number;
  readonly message: string;
}

/** Reads the YAML of the configuration file, and finds all that is wrong with it. */
export function readConfigFile(text: string, ways: Ways): ConfigFile | readonly FileProblem[] {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  if (document.errors.length > 0) {
    return document.errors.map(({ pos, message }) => ({
      line: lineAt(pos[0]),
      message: message.split(' at line ', 1)[0] ?? 'is not YAML',
    }));
  }
  const given = plainOf(document) ?? {};
  if (given instanceof Error) return [{ line: 1, message: given.message }];
  const parsed = configFile.safeParse(given);
  const wrongs = parsed.success
    ? [...contradictions(parsed.data), ...misplaced(parsed.data, Object.keys(given), ways)]
    : parsed.error.issues.flatMap(wrongsOf);
  if (parsed.success && wrongs.length === 0) return parsed.data;
  const problems = wrongs.map(({ path, message }) => ({
    line: lineAt(offsetOf(document, path)),
    message: `${nameOf(path)} ${message}`.trim(),
  }));
  return problems.sort((a, b) => a.line - b.line);
}

/** Fails for aliases that would become far more than the file is. */
function plainOf(document: Document): unknown {
  try {
    return document.toJS();
  } catch {
    return new Error('refers to itself, or nests too deeply');
  }
}

function wrongsOf(issue: z.core.$ZodIssue): Wrong[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a setting of this file' }));
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

/** Where the value is, or the nearest that is there. */
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
