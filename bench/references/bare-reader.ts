import { Pool } from 'undici';
import { variable } from './bolt.ts';

// Reads jobs of the agent API as fast as it can, so many at once, keeps nothing, and never ends.

const atOnce = Number(variable('AT_ONCE'));
const jobs = Number(variable('JOBS'));
const pool = new Pool(variable('AGENT_BASE_URL'), { connections: atOnce });
const headers = { authorization: 'Bearer bench', accept: 'application/json' };
let read = 0;

for (let reader = 0; reader < atOnce; reader += 1) void readOnAndOn();
console.log(JSON.stringify({ event: 'started', port: 0 }));

async function readOnAndOn(): Promise<never> {
  for (;;) {
    read += 1;
    const path = `/v2/agent/acme-docs/job/agent-${read % jobs}`;
    const { body } = await pool.request({ method: 'GET', path, headers });
    await body.json();
  }
}
