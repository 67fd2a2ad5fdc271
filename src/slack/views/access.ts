import type { AccessRefusal } from '../../jobs/access.ts';
import { message, paragraph, type SlackMessage } from './parts/message.ts';
import { type Mrkdwn, mrkdwn } from './parts/mrkdwn.ts';

const reasons: Readonly<Record<AccessRefusal, Mrkdwn>> = {
  unknown_person: mrkdwn`Slack does not tell me who you are.`,
  other_workspace: mrkdwn`It is only for the people of the workspace where it is installed.`,
  guest: mrkdwn`Guests may not use it here.`,
  person: mrkdwn`It is limited to certain people, and you are not among them.`,
  channel: mrkdwn`It is limited to certain channels, and this is not one of them.`,
};

/** Tells a person, privately, why the program does not do what was asked. */
export function notAllowedView(refusal: AccessRefusal): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🔒 *You may not use docs-agent here.* ${reasons[refusal]} Nothing was started: ask an administrator if it should be otherwise.`,
    ),
  );
}

/** Slack could not say who the person is. @param needsAdmin it will not, as the app is set up */
export function notCheckedView(needsAdmin = false): SlackMessage {
  const why = needsAdmin
    ? mrkdwn`Slack does not let me ask: an administrator must install the app again, with all permissions of its manifest. Nothing was started.`
    : mrkdwn`Slack did not answer. Nothing was started: please try again.`;
  return message(paragraph(mrkdwn`⚠️ *I could not check whether you may do this.* ${why}`));
}

/** The app is installed, but the operator has not bound the workspace to projects. */
export function notSetUpView(teamId: string): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🧭 *docs-agent is not set up for this workspace yet.* Nothing was started, and nothing was kept. Whoever runs docs-agent must add the workspace ${teamId} to its configuration file, with the projects that belong to it.`,
    ),
  );
}

/** The app was removed, or came along in a conversation with another workspace. */
export function notInstalledView(): SlackMessage {
  return message(
    paragraph(
      mrkdwn`🧭 *docs-agent is not installed in this workspace.* Nothing was started, and nothing was kept. An administrator can install it.`,
    ),
  );
}
