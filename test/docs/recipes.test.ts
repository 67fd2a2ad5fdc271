import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startStrictWorld } from '../e2e/support/strict-world.ts';
import { general } from '../support/local-slack.ts';

const root = new URL('../../', import.meta.url);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('the workflow of docs/recipes.md starts the recipe of docs/recipes.md (T3)', async () => {
  const page = readFileSync(new URL('docs/recipes.md', root), 'utf8');
  const [, script = ''] = /<<'JS'\n(.*?)\n\s*JS\n/s.exec(page) ?? [];
  const [, recipe = ''] = /```yaml\n( {3}recipes:\n {5}- name: release-notes\n.*?)```/s.exec(page) ?? [];
  await using world = await startStrictWorld({
    configFile: recipe.replaceAll(/^ {3}/gm, '').replace('C0123456789', general),
    settings: { RELEASE_HOOK_SECRET: SECRET },
  });
  const eventPath = join(world.env.DATA_DIR ?? '', 'event.json');
  // As long as GitHub allows, of many lines, each of which is longer in a quotation.
  const body = 'é\n'.repeat(62_500);
  writeFileSync(eventPath, JSON.stringify({ release: { id: 42, tag_name: 'v2.1', body } }));
  const sender = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: fileURLToPath(root),
    env: { SECRET, GITHUB_EVENT_PATH: eventPath },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  sender.stdin.end(
    script.replace('https://docs-agent.example.com', `http://127.0.0.1:${world.service.port}`),
  );
  let said = '';
  sender.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const [code] = await once(sender, 'exit');
  expect([code, said]).toEqual([0, expect.stringMatching(/^202 \{"draft":"[0-9a-f-]+"\}/)]);
  await world.seen(general, ({ text }) => text.includes('Document release "v2.1"'));
});
