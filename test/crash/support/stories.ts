import { localStories } from './stories/local.ts';
import { recipeStories } from './stories/recipes.ts';
import { strictStories } from './stories/strict.ts';

export const stories = { ...localStories, ...strictStories, ...recipeStories };

export type StoryName = keyof typeof stories;
