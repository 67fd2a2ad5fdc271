import type { Announcement } from '../announcement.ts';

/** The link that the announcement brings as news, and describes; null: none. Untrusted. */
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
