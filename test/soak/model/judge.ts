import { judgeAnnouncements } from './announcements.ts';
import { judgeCard } from './cards.ts';
import type { Finding, StoryEvidence } from './evidence.ts';
import { judgeReplies } from './replies.ts';
import { judgeRunnerWork } from './runner-work.ts';
import { judgeSecondProgram } from './second-program.ts';
import { judgeStart } from './starts.ts';

/** What is not as it must be when all is over. */
export function judgeStory(story: StoryEvidence): Finding[] {
  return [
    ...judgeStart(story),
    ...judgeReplies(story),
    ...judgeAnnouncements(story),
    ...judgeCard(story),
    ...judgeSecondProgram(story),
    ...judgeRunnerWork(story),
  ];
}
