import type { Announcement } from '../announcement.ts';

/** The pull request that is news in it, and is described there; null: none. Untrusted. */
export function announcedLink(announcement: Announcement): string | null {
  switch (announcement.kind) {
    case 'turn_ended':
      return announcement.link === null || announcement.link.is === 'same' ? null : announcement.link.url;
    case 'pull_request':
      return announcement.url;
    case 'failed':
    case 'archived':
      return announcement.prLink ?? null;
    default:
      return null;
  }
}
