import { localStories } from './stories/local.ts';
import { markStories } from './stories/marks.ts';
import { recipeStories } from './stories/recipes.ts';
import { strictStories } from './stories/strict.ts';

export const stories = { ...localStories, ...strictStories, ...recipeStories, ...markStories };

export type StoryName = keyof typeof stories;
