import type { AccessRefusal } from '../../jobs/requests/access.ts';
import { message, paragraph, type SlackMessage } from './parts/message.ts';
import { notAllowed } from './texts/refusals.ts';

/** Tells a person, privately, why the program does not do what was asked. */
export function notAllowedView(refusal: AccessRefusal): SlackMessage {
  return message(paragraph(notAllowed.because(notAllowed.reasons[refusal])));
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
