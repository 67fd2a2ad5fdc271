import { findLocalSlack } from './local-slack/find.ts';
import { demoWorkspace } from './local-slack/workspace.ts';
import { startLocalSlack } from './local-slack.ts';
import { openToTheNetwork } from './welcome.ts';

const binary = findLocalSlack(process.env);
if (binary !== null) console.log(openToTheNetwork);
const slack = binary === null ? null : startLocalSlack({ binary, port: 0, workspace: demoWorkspace });
slack?.catch(() => {});
// Loading the program takes as long as the local Slack's start.
const { demo } = await import('./program.ts');
process.exit(await demo(slack, { env: process.env, now: Date.now }));
