/**
 * Makes the pictures in docs/images again: `npm run pictures`. They show the demo, so look at each before a commit. On
 * Debian they need fonts-lato and fonts-noto-color-emoji.
 */
import { picturesOf, type StateGroup } from './support/contact-sheet.ts';
import { iconAddress, startDemoInBrowser } from './support/demo-in-browser.ts';
import { form, home, imageFile, job, marks, recipeForm } from './support/demo-pictures.ts';
import { draftGroup, recipeGroup, reportGroup, sessionGroup, workflowGroup } from './support/elsewhere.ts';
import { drawPictures, type Picture } from './support/page-of-pictures.ts';
import { stateGroups } from './support/states.ts';

const look = { viewport: { width: 1000, height: 720 }, deviceScaleFactor: 2 };
await using demo = await startDemoInBrowser(look);
for (const draw of [job, form, home, marks]) {
  await using slack = await demo.openSlack();
  await draw(slack);
  console.log(`docs/images/${draw.name}.png`);
}

{
  await using slack = await demo.openSlack();
  const { page } = slack;
  await page.setContent(
    `<style>body { margin: 0 } img { display: block; width: 512px }</style><img src="${iconAddress}">`,
  );
  await page.locator('img').screenshot({ path: imageFile('icon') });
  console.log('docs/images/icon.png');
}

const sheets: readonly [name: string, groups: readonly StateGroup[], first?: readonly Picture[]][] = [
  ['states', stateGroups],
  ['draft', [draftGroup]],
  ['recipes', [recipeGroup], [await pictureOfRecipeForm()]],
  ['workflow', [workflowGroup]],
  ['report', [reportGroup]],
  ['sessions', [sessionGroup]],
];
for (const [name, groups, first = []] of sheets) {
  await using sheet = await demo.openSlack();
  const [group, ...others] = await picturesOf(sheet.page, groups);
  const all = group === undefined ? [] : [{ ...group, pictures: [...first, ...group.pictures] }, ...others];
  await drawPictures(sheet.page, all, imageFile(name));
  console.log(`docs/images/${name}.png`);
}

async function pictureOfRecipeForm(): Promise<Picture> {
  await using slack = await demo.openSlack();
  return await recipeForm(slack);
}
