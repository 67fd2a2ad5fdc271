import { type Mrkdwn, mrkdwn } from '../parts/mrkdwn.ts';

/** What a notice channel reads. `link`: the pull request in short; null if it cannot be a link. */
export const notices = {
  /** `name`: null if Slack does not say it. */
  public: (link: Mrkdwn | null, title: string, name: string | null): Mrkdwn => {
    const by = name === null ? mrkdwn`` : mrkdwn` · by ${name}`;
    return link === null ? mrkdwn`📝 *${title}*${by}` : mrkdwn`📝 ${link} · *${title}*${by}`;
  },
  private: (link: Mrkdwn | null): Mrkdwn => {
    const news = mrkdwn`*New documentation pull request*`;
    return link === null ? mrkdwn`📝 ${news}` : mrkdwn`📝 ${link} · ${news}`;
  },
} as const;
