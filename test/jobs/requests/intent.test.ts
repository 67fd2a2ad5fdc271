import { describe, expect, test } from 'vitest';
import { type Intent, intentOf, isDoubtful } from '../../../src/jobs/requests/intent.ts';
import { fc } from '../../support/properties.ts';

/** In one word. */
function said(text: string, isToBot?: boolean): string {
  const intent: Intent = intentOf(text, isToBot);
  switch (intent.kind) {
    case 'near_command':
      return `near ${intent.command}`;
    case 'no_such_job':
      return `no job ${intent.word}`;
    default:
      return intent.kind;
  }
}

/** Separated by bars, as they are easier to read. */
const cases = (texts: string) =>
  texts
    .split(/[|\n]/)
    .map((text) => text.trim())
    .filter((text) => text !== '');

const stops = cases(`
  stop | Stop! | STOP. | please stop | stop please! | stop it | stop this now | stop the job | stop working | cancel
  cancel the last one | Cancel that, please. | abort | kill the job | undo | never mind | Nevermind, thanks! | nvm
  hey, stop | no, stop! | can you stop? | could you please cancel my last request? | How do I cancel? | sorry, cancel this
  stop everything right now please | I want to cancel the last request | “stop” | *stop* | stop :octagonal_sign: | stop 🛑
  Stopp! | bitte abbrechen | Brich das ab! | brich den Job ab | Hör auf! | vergiss es | kannst du das bitte stoppen?
  arrête | Arrête ça, s'il te plaît | annule la dernière demande | laisse tomber | s’il vous plaît, annulez
  para | Para eso, por favor | cancela el último trabajo | detente | olvídalo | no importa
  cancela isso, por favor | pare | deixa pra lá | fermati | annulla tutto | lascia perdere | stop ermee | annuleer dit
  laat maar | zatrzymaj to | anuluj ostatnie zadanie | nieważne | стоп | Отмена | отмени последнюю задачу, пожалуйста
  не надо | зупинись | скасуй це, будь ласка | avbryt | stoppa det | glöm det | avbryt jobben | glem det | afbryd det
  hold op | dur | İptal et | bunu iptal et lütfen | vazgeç | توقف | أوقف هذا من فضلك | الغاء | रुको | इसे रद्द करें | बंद करो
  キャンセル | やめてください | 停止してください。| 最後のジョブをキャンセルして！ | 停止 | 取消上一个任务 | 算了 | 请取消 | 取消最後一個
  멈춰 | 취소해 주세요 | 이거 취소해줘 | 그만
  cancel #42 | stop job 42, please | abort the mission | never mind, found it | wrong channel, sorry | please ignore that
  don't bother | stooop | ＳＴＯＰ！ | rückgängig machen | hör bitte auf | Cancélalo, por favor | páralo | İptal edebilir misin?
  Отбой! | Не нужно, спасибо | забей | وقف | बंद कर दो | キャンセルお願いします | やっぱりキャンセルで | 取消一下 | 请停止任务 | 방금 거 취소해줘`);

const smallTalk = cases(`
  thanks | Thank you! | thanks a lot 🙏 | thank you so much | thank you all! | ok | OK, thanks! | k | great, thank you so much
  perfect :tada: | :+1: | +1 | 👍🏽 | ❤️ | 🇩🇪 | :) | &lt;3 | nice work <@U123> | LGTM | looks good to me | well done, team!
  done | Done! | approved! | merged | Just merged, thanks | shipped 🚢 | no, thank you | No thanks | got it | sounds good
  all good | you're welcome | thanks for the help! | Thanks for the quick fix | awesome job | good job bot | that's perfect
  hi | Hello! | good morning team | hey there 👋 | hello? | Hi, how are you? | have a nice day | bye | haha | lol | hahaha 😂
  danke | Vielen Dank, super! | Danke für die schnelle Hilfe! | Nein, danke | alles klar | passt so | Guten Morgen | sehr gut, danke
  merci | Merci beaucoup ! | merci pour ton aide | non merci | c'est parfait, merci | Bonjour | d’accord | très bien
  gracias | ¡Muchas gracias! | no, gracias | perfecto, gracias por la ayuda | ¡Hola! | buenos días | vale | muy bien
  obrigado | Muito obrigada! | valeu | ótimo trabalho | bom dia | tudo bem? | grazie mille | perfetto, grazie | va bene
  dank je wel | bedankt! | top, bedankt voor de hulp | goedemorgen | dziękuję bardzo | super, dzięki! | dzień dobry
  Спасибо | Спасибо большое! | отлично, спасибо за помощь | Доброе утро | понял | дякую | Щиро дякую! | Доброго ранку
  tack så mycket | perfekt, tack! | hejsan | takk for hjelpen | tusen takk! | mange tak
  teşekkürler | Çok teşekkür ederim | harika, teşekkürler | günaydın | شكرا جزيلا | شكراً! | ممتاز، شكرا | صباح الخير
  धन्यवाद | बहुत बहुत धन्यवाद! | ठीक है, धन्यवाद | नमस्ते | ありがとうございます！ | 了解です。ありがとうございます | お疲れ様です | おはようございます
  Thank you so much for your help today! | thaaanks | wow, that was quick, thanks! | exactly what I needed, thanks | I've merged it, thanks
  :pray::skin-tone-3: | :ありがとう: | 1️⃣ | xD | thanks xDD | thank you!!1 | ¯\\_(ツ)_/¯ | 🏴󠁧󠁢󠁥󠁮󠁧󠁿 | ❤️‍🔥 | ^^ | Danke euch allen | Mahlzeit! | Merci d'avance
  C'est bon pour moi | Bien reçu, merci | ¡Gracias a ti! | Valeu demais! | Show de bola | Bom dia, pessoal | Спасибо огромное
  السلام عليكم ورحمة الله وبركاته | يعطيك العافية | शुक्रिया भाई | ＯＫです | OKです、ありがとう | OK了 | 多谢多谢 | 넵 감사합니다 ^^
  いいですね！ | 谢谢！ | 好的，谢谢 | 太棒了！ | 辛苦了 | 你好 | 謝謝 | 不用了，谢谢 | 감사합니다! | 정말 고맙습니다 | 네, 알겠습니다 | 안녕하세요`);

const progress = cases(`
  is it done? | Is it done yet? | are you done | done? | Ready? | any news? | any update on this? | how far are you?
  How far along are you? | ETA? | what's the ETA | how long will it take? | still working on it? | hey, any progress?
  how's it going? | where is the PR? | how much longer? | merged? | is the pull request ready?
  Ist es schon fertig? | Gibt's was Neues? | wie weit bist du? | wie lange dauert das noch? | fertig? | C'est fait ? | où en es-tu ?
  des nouvelles ? | ¿Está listo? | ¿Cómo va? | ¿cuánto falta? | já está pronto? | alguma novidade? | È pronto? | a che punto sei?
  Is het al klaar? | hoe lang nog? | czy to gotowe? | jak idzie? | Готово? | Какие новости? | сколько ещё? | чи готово? | є новини?
  är det klart än? | hur går det? | er det ferdig? | noe nytt? | er du færdig? | bitti mi? | ne zaman biter? | هل انتهيت؟ | متى ينتهي؟
  Is my job done? | is #42 done? | is it still running? | are we there yet? | Did the PR get created? | any luck? | how is my job doing?
  Bist du bald fertig? | Läuft das noch? | Wo ist der PR? | C'est bientôt fini ? | Quand est-ce que ce sera prêt ? | ¿Cuándo estará?
  Скоро? | Ну как? | كم باقي؟ | Ne oldu? | कब होगा? | もうできましたか？ | PRできましたか？ | 进度怎么样了？ | 做完了没？ | 언제 끝나요? | 아직인가요?
  हो गया क्या? | कितना समय लगेगा? | 終わりましたか？ | 進捗はどうですか？ | まだですか？ | 完成了吗？ | 还要多久？ | 好了嗎？ | 끝났나요? | 얼마나 걸리나요?`);

/** Requests that look like all of the above. */
const requests = cases(`
  Can you document the rate limits? | Thank-you page: add one | Stop words: list them | Cancel button: describe it
  stop all the links | stop mentioning the beta | Stop the page from loading twice | Cancel subscription page
  How to cancel a subscription: write a guide | undo the last change | kill the jargon | abort signals: explain them
  never mind the beta, document the API | ok, now add the retries | thanks, but shorter | great, can you also fix the title?
  👍 but shorter | thank the team on the page | thanks: see <https://example.com> | Add a thank-you page | hello world tutorial
  good first issue label | nice URLs for the docs | No good | it is not good | merged cells in tables | approved vendors list page
  done criteria for reviews | welcome page | emoji reactions page | greeting messages page | OK button label | cool down period docs
  list all our endpoints | List the stop words | status codes of the API | status page for webhooks | help people find the quickstart
  help text for the form | details page: shorten it | my jobs page | progress bar docs | ETA field in shipments | how far can I scale this? Add a page
  Is it done? Add an FAQ entry | what can you do with webhooks: write it up | recipes page: add images | run the linter first
  fix typos | explain webhooks | set up guide | add-a-very-long-page-about-it | Could you rename the page? | Typo on the home page?
  Dokumentiere die Abbrechen-Taste | Stopp-Taste beschreiben | Danke-Seite anlegen | Danke, aber kürzer | super, jetzt noch die Limits
  Kannst du die Rate-Limits dokumentieren? | Wie funktioniert das Abrechnen: bitte erklären | Fertig-Meldung übersetzen | nicht gut
  Könntest du bitte die Seite umbenennen? | Status der API beschreiben | Hilfe-Seite aktualisieren | Liste der Endpunkte ergänzen
  Annuler un abonnement : ajouter une page | merci, mais plus court | page de remerciement | arrêter un serveur | le bouton Annuler
  Peux-tu documenter les limites ? | Pourrais-tu traduire la page ? | aide en ligne à corriger | parfait, ajoute la suite
  Cancelar una suscripción | gracias, pero más corto | página de agradecimiento | para cada página añade un ejemplo | no está bien
  ¿Puedes documentar los límites? | ¿Puedes traducir esto? | ayuda para usuarios nuevos
  Pode documentar os limites? | obrigado, mas mais curto | não está bom | Non va bene | Puoi documentare i limiti? | Kun je dit vertalen?
  czy możesz opisać limity? | dziękuję, ale krócej | спасибо, но короче | кнопка отмены | Можешь описать лимиты? | не готово
  дякую, але коротше | опиши кнопку скасування | kan du beskriva gränserna? | Kan du oversette siden? | Kan du rette fejlen?
  iptal düğmesini açıkla | limitleri belgeler misin? | زر الإلغاء: اشرح ذلك | هل يمكنك توثيق الحدود؟ | रद्द बटन समझाओ | क्या आप यह पेज जोड़ सकते हैं?
  レート制限を説明してください | キャンセルボタンの説明を追加して | ありがとうページを作成して | この文章を短くできますか？ | 说明速率限制 | 取消按钮的说明
  stop #42: it is about the wrong page | cancel job 42 page | job 42 | no need to mention the beta | ignore the beta pages
  please ignore the last message | abort the mission statement page | wrong link | too long | the second one | both pages | not what I meant
  the wrong channel is linked | usage page | is it missing? Add it | did the PR template get updated? | fast lane docs | merging guide
  exactly what I wanted, but shorter | sent by mistake: explain the bounce page | today in the docs | what is this page about: describe it
  Danke! Jetzt noch die deutsche Seite | der Titel ist falsch | zu lang | Stoppe die Nutzung von „einfach“ | bald verfügbar ergänzen
  merci, maintenant la page allemande | plus court | le titre est faux | más corto | el título está mal | Para a página inicial, use Python
  Заголовок неправильный | Спасибо, теперь немецкую страницу | Стоп-слова: опиши их | العنوان خطأ | Başlık yanlış | daha kısa
  शीर्षक गलत है | タイトルが間違っています | もっと短く | ありがとう、次はドイツ語のページもお願いします | 标题错了 | 短一点 | 제목이 틀렸어요
  谢谢页面 | 你能写一页吗？ | 취소 버튼 설명 추가 | 속도 제한을 문서화해 줄 수 있나요? | อธิบายขีดจำกัด | 列表 状态`);

describe('what was written', () => {
  test.each(stops)('%j means to stop', (text) => expect(said(text)).toBe('stop'));
  test.each(smallTalk)('%j is small talk', (text) => expect(said(text)).toBe('small_talk'));
  test.each(progress)('%j asks how far it is', (text) => expect(said(text)).toBe('progress'));
  test.each(requests)('%j is a request', (text) => expect(said(text)).toBe('request'));

  test.each([
    ...cases('help | Help! | help me please | what can you do? | Who are you? | how does this work?'),
    ...cases(
      '/docs-agent help | Hilfe | was kannst du? | que peux-tu faire ? | ¿qué puedes hacer? | o que você faz?',
    ),
    ...cases(
      'cosa puoi fare? | wat kun je? | co potrafisz? | что ты умеешь? | хто ти? | vad kan du göra? | hva kan du?',
    ),
    ...cases(
      'hvad kan du? | ne yapabilirsin? | ماذا يمكنك أن تفعل؟ | आप कौन हैं? | 何ができますか？ | 你能做什么？ | 뭘 할 수 있나요?',
    ),
  ])('%j asks for help', (text) => expect(said(text)).toBe('help'));

  test.each(
    cases(
      'list | List. | /list | my jobs | show my jobs please | meine Jobs | mis trabajos | мои задачи | 我的任务',
    ),
  )('%j asks for the list', (text) => expect(said(text)).toBe('list'));

  test.each(
    cases('status | Status? | status update | status please | wie ist der Stand? | какой статус? | 状态'),
  )('%j asks for the status', (text) => expect(intentOf(text)).toEqual({ kind: 'status', id: null }));

  test.each([
    ['details', 'details'],
    ['run', 'recipes'],
    ['Recipes', 'recipes'],
    ['run weekly-review', 'run'],
    ['status 142', 'status'],
    ['settings', 'settings'],
    ['', 'compose'],
    ['lists', 'near list'],
    ['recipies', 'near recipes'],
    ['stat', 'near status'],
    ['stauts', 'near status'],
    ['satus', 'near status'],
    ['ststus page', 'near status'],
    ['setttings', 'near settings'],
    ['watch', 'near watch'],
    ['status codes', 'no job codes'],
    ['webhooks', 'one_word'],
    ['404', 'one_word'],
    ['yes', 'one_word'],
    ['What are the rate limits?', 'question'],
    ['Where is the documentation?', 'question'],
    ['Where is the changelog?', 'question'],
    ['What is the address of the API?', 'question'],
    ['Which editor do we use?', 'question'],
    ['changelog', 'one_word'],
    ['#42', 'one_word'],
    ['скоро', 'one_word'],
    ["What's the status of my request?", 'status'],
    ['What are my jobs?', 'list'],
    ['What commands do you have?', 'help'],
    ['looks good?', 'question'],
    ['Wo ist die Doku?', 'question'],
    ['Quelles sont les limites ?', 'question'],
    ['¿Cuál es el límite?', 'question'],
    ['レート制限は何ですか？', 'question'],
    ['ما هي الحدود؟', 'question'],
    ['yes please', 'request'],
    ['go ahead', 'request'],
    ['— list', 'request'],
    ['–help', 'request'],
    ['-- help', 'request'],
    ['-- stop', 'request'],
  ])('%j is %s', (text, kind) => expect(said(text)).toBe(kind));

  test('is for somebody else if it begins with their name, and does not mention the bot', () => {
    expect(said('<@U123> can you have a look?', false)).toBe('colleague');
    expect(said('<!here> is this right?', false)).toBe('colleague');
    expect(said('<@U123> should be credited, please add that')).toBe('request');
    expect(said('Credit <@U123>', false)).toBe('request');
  });

  test('is no small talk any more with a ninth word, or one that is not known', () => {
    expect(said('thanks thanks thanks thanks thanks thanks thanks thanks')).toBe('small_talk');
    expect(said('thanks thanks thanks thanks thanks thanks thanks thanks thanks')).toBe('request');
    const unknown = fc.constantFrom('webhook', 'página', 'ошибка', 'ページ');
    fc.assert(
      fc.property(fc.constantFrom(...stops, ...smallTalk, ...progress), unknown, (text, word) => {
        expect(['request', 'question', 'one_word', 'near_command']).toContain(
          intentOf(`${text.replace(/[?？؟]/g, '')} ${word}`).kind,
        );
      }),
    );
  });

  test('does not depend on capitals, punctuation and spaces', () => {
    const around = fc.constantFrom('', ' ', '!', '...', ' !!', '\n');
    fc.assert(
      fc.property(fc.constantFrom(...stops, ...smallTalk), around, fc.boolean(), (text, end, isLoud) => {
        const written = isLoud && !/[ıİ<:&]/.test(text) ? text.toUpperCase() : text;
        expect(said(`${end}${written}${end}`)).toBe(said(text));
      }),
    );
  });

  test('is a request in any long text', () => {
    expect(said(`thanks ${'a lot '.repeat(100)}`)).toBe('request');
    expect(said(`${'what is '.repeat(100)}this?`)).toBe('request');
  });
});

describe('before a job starts', () => {
  test('all that is hardly a request is asked about, and a request is not', () => {
    for (const text of [...stops, ...smallTalk, ...progress, 'lists', 'webhooks', 'What is this?']) {
      expect(isDoubtful(text), text).toBe(true);
    }
    for (const text of [...requests, '-- stop', 'run weekly-review'])
      expect(isDoubtful(text), text).toBe(false);
  });

  test('every single word is, if it is no longer than a word', () => {
    fc.assert(fc.property(fc.stringMatching(/^[a-zà-ÿ]{1,20}$/), (text) => isDoubtful(text)));
    fc.assert(fc.property(fc.stringMatching(/^[a-z]{21,60}$/), (text) => !isDoubtful(text)));
  });
});
