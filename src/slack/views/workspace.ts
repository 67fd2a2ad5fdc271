import { message, paragraph, type SlackMessage } from './parts/message.ts';
import { mrkdwn } from './parts/mrkdwn.ts';

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
