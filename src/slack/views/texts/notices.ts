import { asWritten, type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';

/** What a notice channel reads. `link`: the pull request in short; null if it cannot be a link. */
export const notices = {
  /** `name`: null if Slack does not say it. */
  public: (link: Mrkdwn | null, title: string, name: string | null): Mrkdwn => {
    const by = name === null ? mrkdwn`` : mrkdwn` · by ${asWritten(name)}`;
    return link === null
      ? mrkdwn`📝 *${asWritten(title)}*${by}`
      : mrkdwn`📝 ${link} · *${asWritten(title)}*${by}`;
  },
  private: (link: Mrkdwn | null): Mrkdwn => {
    const news = mrkdwn`*New documentation pull request*`;
    return link === null ? mrkdwn`📝 ${news}` : mrkdwn`📝 ${link} · ${news}`;
  },
} as const;
