/**
 * Makes the pictures in docs/images again: `npm run pictures`. They show the demo, so look at each before a commit. On
 * Debian they need fonts-lato and fonts-noto-color-emoji.
 */
import { drawPictures, picturesOf } from './support/contact-sheet.ts';
import { iconAddress, startDemoInBrowser } from './support/demo-in-browser.ts';
import { form, home, imageFile, job, marks, recipeForm } from './support/demo-pictures.ts';
import { sheets } from './support/states.ts';

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

for (const [name, { title, states }] of Object.entries(sheets)) {
  await using sheet = await demo.openSlack();
  const pictures = await picturesOf(sheet.page, states);
  if (name === 'recipes') {
    await using slack = await demo.openSlack();
    pictures.unshift(await recipeForm(slack));
  }
  await drawPictures(sheet.page, title, pictures, imageFile(name));
  console.log(`docs/images/${name}.png`);
}
