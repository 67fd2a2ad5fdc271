import { localStories } from './stories/local.ts';
import { strictStories } from './stories/strict.ts';

export const stories = { ...localStories, ...strictStories };

export type StoryName = keyof typeof stories;
