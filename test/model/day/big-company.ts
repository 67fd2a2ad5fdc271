import type { StrictControl } from '../../support/strict-slack/control.ts';
import { strictApp } from '../../support/strict-slack/ids.ts';
import type { Scene } from '../support/scene.ts';

const PEOPLE = 2_000;
const CHANNELS = 300;
const PROJECTS = 8;
const NEWS = 'C0NEWS';

const people = Array.from({ length: PEOPLE }, (_, number) => `U0P${number}`);
const channels = Array.from({ length: CHANNELS }, (_, number) => `C0T${number}`);

/** All pull requests are announced in one channel. */
export const bigScene: Scene = { people, channels: [...channels, NEWS], closed: [], noticeChannels: [NEWS] };

/** Without the default one. */
export const projects = Array.from({ length: PROJECTS - 1 }, (_, number) => `product-${number + 1}`);

/** Everybody is in two channels of teams; the channel's members come with the lowest numbers first. */
function teamOf(channel: number): string[] {
  return people.filter((_, number) => number % CHANNELS === channel || (number * 7) % CHANNELS === channel);
}

const teams = channels.map((id, number) => ({ id, members: teamOf(number) }));

export function populate({ addUser, openChannel }: StrictControl): void {
  for (const id of people) addUser({ id, name: `person-${id.toLowerCase()}` });
  for (const { id, members } of teams) {
    openChannel({ id, name: id.toLowerCase(), members: [...members, strictApp.botUserId] });
  }
  openChannel({ id: NEWS, name: 'docs-news', members: [strictApp.botUserId] });
}

/** Each team has a project. */
export const configFile = JSON.stringify({
  projects: [{ id: 'acme-docs' }, ...projects.map((id) => ({ id }))],
  channels: Object.fromEntries(
    channels.map((id, number) => [id, { project: ['acme-docs', ...projects][number % PROJECTS] }]),
  ),
});

/** The channel with this number, and who is in it. */
export function team(number: number): (typeof teams)[number] {
  const found = teams[number % CHANNELS];
  if (found === undefined) throw new Error('there are no teams');
  return found;
}
