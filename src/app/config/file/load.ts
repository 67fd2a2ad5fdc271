import { type Checked, type ConfigProblem, failureCode } from '../problems.ts';
import type { ReadFile } from '../values.ts';
import type { Ways } from './misplaced.ts';
import { readConfigFile } from './read.ts';
import { type ConfigFile, configFile } from './schema.ts';

const VARIABLE = 'DOCS_AGENT_CONFIG';

/** The file that DOCS_AGENT_CONFIG names; without one, nothing is set in it. */
export function loadConfigFile(
  path: string | undefined,
  ways: Ways,
  readFile: ReadFile,
): Checked<ConfigFile> {
  if (path === undefined) return { value: configFile.parse({}) };
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    return { problems: [problem(`names a file that cannot be read${failureCode(error)}`)] };
  }
  const read = readConfigFile(text, ways);
  if (!('map' in read)) return { value: read };
  return { problems: read.map(({ line, message }) => problem(`line ${line}: ${message}`)) };
}

function problem(message: string): ConfigProblem {
  return { variable: VARIABLE, message, example: 'docs-agent.example.yml' };
}
