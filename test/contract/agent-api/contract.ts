import { Api, checks, problemOf } from './checks.ts';

const PROMPT = 'This is a test of the API. Change nothing, and answer with one word.';
const WITHIN_MS = 10 * 60_000;

const [url, key, projectId] = process.argv.slice(2);
if (url === undefined || key === undefined || projectId === undefined) {
  console.error(
    'npm run contract -- URL KEY PROJECT\n\nIt creates up to five jobs, which ask the agent to change nothing.',
  );
  process.exit(64);
}
const api = new Api({ url: url.replace(/\/$/, ''), key, projectId, prompt: PROMPT, withinMs: WITHIN_MS });
let failures = 0;
for (const check of checks) {
  const problem = await problemOf(check, api);
  const sign = problem === undefined ? '–' : problem === null ? '✓' : '✗';
  const needs = check.capability === null ? '' : `${check.capability}: `;
  console.log(`${sign} ${needs}${check.title}${problem ? `\n    ${problem}` : ''}`);
  if (problem) failures += 1;
}
console.log(failures === 0 ? 'The contract holds.' : `${failures} broken.`);
process.exit(failures === 0 ? 0 : 1);
