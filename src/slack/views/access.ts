import type { AccessRefusal } from '../../jobs/requests/access.ts';
import { message, paragraph, type SlackMessage } from './parts/message.ts';
import { oneLine } from './parts/untrusted.ts';
import { adminsOnly, notAllowed } from './texts/refusals.ts';

const ID_MAX = 32;
const NAME_MAX = 80;

/** Tells a person, privately, why the program does not do what was asked. */
export function notAllowedView(refusal: AccessRefusal): SlackMessage {
  return message(paragraph(notAllowed.because(notAllowed.reasons[refusal])));
}

export type AdminDeed = keyof typeof adminsOnly.deeds;

/** @param admins the names of some administrators; empty: the settings name none, so they are the workspace's own */
export function adminsOnlyView(deed: AdminDeed, userId: string, admins: readonly string[]): SlackMessage {
  if (admins.length === 0) return message(paragraph(adminsOnly.nobodyNamed(oneLine(userId, ID_MAX))));
  const names = admins.map((name) => `@${oneLine(name, NAME_MAX)}`);
  const asked = new Intl.ListFormat('en-US', { type: 'disjunction' }).format(names);
  return message(paragraph(adminsOnly.because(adminsOnly.deeds[deed], asked)));
}

/** Slack could not say who the person is. @param needsAdmin it will not, as the app is set up */
export function notCheckedView(needsAdmin = false): SlackMessage {
  return message(paragraph(needsAdmin ? notAllowed.needsAdmin : notAllowed.notChecked));
}

/** The app is installed, but the operator has not bound the workspace to projects. */
export function notSetUpView(teamId: string): SlackMessage {
  return message(paragraph(notAllowed.notSetUp(teamId)));
}

/** The app was removed, or is here through a conversation shared with another workspace. */
export function notInstalledView(): SlackMessage {
  return message(paragraph(notAllowed.notInstalled));
}
