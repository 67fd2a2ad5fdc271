/**
 * One line per language: English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian,
 * Ukrainian, Swedish, Norwegian, Danish, Turkish, Arabic, Hindi, Japanese, Chinese, Korean. Commas separate
 * phrases, which combine; accents do not count. Scripts without spaces need whole sentences.
 *
 * `is it done/ready`: either word. `(停止/中止)して`, `what is (this/docs agent)`: either part. `thanks [a lot]`:
 * with or without.
 */
export type Phrases = Readonly<{
  heads: string;
  companions?: string;
  /** Heads only in questions. */
  asked?: string;
}>;

export const courtesies = `
please, pls, plz, kindly, can/could/would/will you, can we, sorry, [right] now, just, bot, [slash] docs agent, asap, immediately, yes, wait, oh, oops, um, hmm, me, then, actually, well, so, ok[ay], and, but
bitte, mal, jetzt, sofort, kannst/könntest du, können/könnten sie, doch, einfach, ja, entschuldigung, ups, und
s'il te/vous plaît, svp, stp, maintenant, tout de suite, peux tu, pouvez vous, oui, désolé[e], pardon, et
por favor, ahora, ya, puede[s], podrías, sí, perdón, y, agora, [você] pode, podes, sim, desculp(a/e)
per favore/piacere, adesso, ora, subito, puoi, potresti, può, scusa[te], e
alsjeblieft, alstublieft, aub, nu, kun/kan je, graag, meteen, en
proszę, teraz, [czy] możesz, natychmiast, przepraszam
пожалуйста, плиз, сейчас, може(шь/те), да, извини[те], срочно, будь ласка, зараз, можеш, так, вибач[те]
snälla, kan du, förlåt, genast, vær så snill, nå, unnskyld, venligst, undskyld
lütfen, şimdi, hemen, evet
من فضلك, رجاء, لو سمحت, الآن, هل يمكنك, نعم, آسف
कृपया, अभी, प्लीज, क्या आप, हाँ, माफ़ कीजिए
お願いします, ください, すぐに, 今すぐ, すみません, はい, 请, 麻烦, 现在, 马上, 立刻, 不好意思, 抱歉, 請, 麻煩, 現在, 馬上
제발, 지금, 당장, 바로, 죄송합니다, 죄송해요, 네`;

export const greetings = `
hi/hey/hello [there], heya, hiya, howdy, yo, [good] morning/evening, good afternoon/night, greetings, how are you [doing/today], whats up, sup, [good]bye, see you [later/tomorrow], take care, have a nice/good/great day/weekend, nice to meet you
hallo, moin, servus, grüß gott/dich, grüezi, guten tag/morgen/abend, gute nacht, wie geht's, wie geht es dir/ihnen, tschüss, schönen abend/feierabend, schönen tag [noch], schönes wochenende, bis dann/später, mahlzeit
bonjour, bonsoir, salut, coucou, bonne journée/soirée/nuit, bon week end, [comment] ça va, comment (vas tu/allez vous), au revoir, à bientôt
hola, buenos días, buen día, buenas [tardes/noches], qué tal, cómo estás/está, adiós, hasta luego, olá, oi, bom dia, boa tarde/noite, tudo bem/bom, como vai, tchau, até logo
ciao, buongiorno, buon giorno, buonasera, buona sera/giornata, salve, come stai/va, arrivederci
hoi, goedemorgen, goeiemorgen, goedemiddag, goedenavond, dag, doei, tot ziens, fijne dag
cześć, hej, siema, dzień dobry, dobry wieczór, witam, witaj, co słychać, do widzenia, na razie, miłego dnia
[всем] привет, приветик, здравствуй[те], добрый день/вечер, доброе утро, доброй ночи, как дела, пока, до свидания, хорошего дня
привіт, вітаю, добрий день/ранок/вечір, доброго дня/ранку, як справи, бувай, до побачення, гарного дня
hejsa[n], hallå, tjena, tja, god morgon/kväll/dag/morgen/kveld/helg/aften/weekend, hejdå, ha en bra dag, trevlig helg, hei[sann], ha det [bra], goddag, godmorgen, farvel, hav en god dag
merhaba[lar], selam[lar], günaydın, iyi günler/akşamlar/geceler, nasılsın[ız], hoşça kal, görüşürüz, kolay gelsin
مرحبا, أهلا [وسهلا], السلام عليكم [ورحمة الله [وبركاته]], وعليكم السلام, سلام, صباح/مساء الخير/النور, كيف حالك/الحال, مع السلامة
नमस्ते, नमस्कार, हैलो, हाय, सुप्रभात, शुभ प्रभात/रात्रि, आप कैसे हैं, कैसे हो, namaste
こんにちは, こんばんは, おはよう[ございます], はじめまして, お疲れ様[です/でした], お疲れさま(です/でした), よろしくお願い[いた]します, おやすみなさい, さようなら, お元気ですか
你好[啊/吗/嗎], 您好, 大家好, 嗨, 哈喽, 早[上好/安], (上午/下午/晚上)好, 晚安, 再见, 再見, 拜拜, 在吗
안녕[하세요/하십니까], 좋은 아침[입니다/이에요], 잘 지내세요, 안녕히 계세요/가세요, 수고하세요, 반갑습니다`;

export const thanks = `
[no] thank you, thank u, [many/big/no] thanks, thankyou, thanx, thx, thnx, tnx, ty[sm/vm], cheers, ta, [much] appreciated, [i] appreciate it, nein danke, non merci, no gracias/grazie/need, não obrigad(o/a), nee (dank je/bedankt), nie dziękuję, нет спасибо, ні дякую, nej tack/tak, nei takk, hayır teşekkürler, لا شكرا, नहीं धन्यवाद, いいえ ありがとうございます, 아니요 감사합니다/괜찮습니다
danke [schön/sehr], dankeschön, dank dir, [vielen] lieben dank, vielen/tausend/herzlichen/besten dank, merci
merci beaucoup/bien/infiniment, [un] grand merci, mille mercis, je te/vous remercie
[muchas/muchísimas/mil] gracias, te lo agradezco, se agradece, [muito] obrigad(o/a), brigad(o/a), valeu, agradeço, gratidão
[mille/molte/tante] grazie, grazie mille/infinite, ti/vi ringrazio
dank je/u [wel], dankje[wel], [heel erg] bedankt, hartelijk dank
[serdecznie] dziękuję, dziękujemy, [wielkie] dzięki, dzięki wielkie, [большое/огромное] спасибо, спасибки, спс, благодарю, [щиро/велике] дякую, дяки, спасибі
tack[ar], tusen tack/takk, stort tack, [mange] takk/tak, takk skal du ha, tusind tak, tak skal du have
teşekkür [ederim/ederiz], teşekkürler, sağ ol[un], sağol, eyvallah, tşk[ler]
شكرا [جزيلا/لك/لكم], ألف شكر, مشكور, تسلم [ايدك], [الله] يعطيك العافية
[बहुत] धन्यवाद/शुक्रिया, बहुत बहुत धन्यवाद, dhanyavaad, shukriya
[どうも]ありがとう[ございます/ございました], 本当にありがとうございます, どうも[です], 感謝[です/します], サンキュー, 助かり(ます/ました), 結構です
谢谢[你/您/大家], 谢谢谢谢, 谢(了/啦), 多谢[多谢], 感谢[你/您], (非常/十分)感谢, 太感谢了, [你/您]辛苦了, 不用(谢/了), 謝謝[你/您], 謝了, 多謝, 非常感謝
감사[합니다/해요], 고마워[요], 고맙습니다, 땡큐, (수고/고생)하셨습니다, 괜찮습니다`;

export const smallTalk = {
  heads: `
ok[ay/ey/ie/i], k, kk, alright, all right/set, got it, love it/this, thats it/all, gotcha, understood, noted, roger, sounds good, lgtm, great [stuff], good, nice [one], [nicely] done, perfect, awesome, cool, super, excellent, wonderful, brilliant, amazing, lovely, fantastic, sweet, neat, beautiful, impressive, superb, terrific, outstanding, yay, hooray, woohoo, wow, haha[ha], lol, fine, approved, merged, shipped, published, deployed, reviewed, its live, no problem/worries, np, you(re/ are) welcome, my pleasure, works (for me/great/like a charm), it works, welcome back, (that was/so) fast/quick, exactly/thats/just what i wanted/needed, merging, ill merge it, ive merged/approved it, i have merged it
toll, prima, klasse, perfekt, großartig, wunderbar, ausgezeichnet, hervorragend, genial, spitze, top, mega, gut, gute arbeit, schön, passt, alles/geht klar, in ordnung, [ein]verstanden, erledigt, fertig, freigegeben, genehmigt, gemerg(ed/t), veröffentlicht, sieht gut aus, kein problem, gern geschehen, gerne, funktioniert
d'accord, parfait[e], magnifique, bravo, bien joué, beau/bon travail, très bien, c'est bon, ça marche, entendu, compris, fait, terminé, approuvé, validé, fusionné, publié, nickel, impeccable, formidable, chouette, de rien, avec plaisir, pas de problème, je vous en prie, reçu
vale, de acuerdo/nada, perfecto, estupendo, excelente, fantástico, maravilloso, buenísimo, muy/qué/todo bien, buen/gran trabajo, listo, hecho, aprobado, fusionado, publicado, terminado, entendido, guay, (sin/no hay) problema, se ve bien
ótimo, perfeito, maravilh(a/oso), legal, beleza, muito bem, muito/tá/está bom, bom/ótimo trabalho, [bem] feito, pronto, aprovado, concluído, combinado, [tudo] certo, sem problema, parabéns, show de bola, boa, massa
perfetto, ottimo, [va] bene, benissimo, bravi, [ben] fatto, ottimo/bel lavoro, eccellente, stupendo, meraviglioso, capito, approvato, pubblicato, finito, prego, figurati, nessun problema, tutto a posto
geweldig, mooi, goed [werk], lekker bezig, oké, akkoord, begrepen, klaar, gedaan, goedgekeurd, gepubliceerd, uitstekend, fantastisch, geen probleem, ziet er goed uit
świetnie, świetna/dobra robota, doskonale, idealnie, wspaniale, dobrze, okej, jasne, rozumiem, zrobione, gotowe, zatwierdzone, opublikowane, gratulacje, brawo, rewelacja, nie ma problemu/sprawy, proszę bardzo, wygląda dobrze
отлично, супер, класс[но], круто, прекрасно, замечательно, великолепно, [выглядит] хорошо, молод(ец/цы), хорошая/отличная работа, ок[ей], ладно, понятно, понял[а], принято, готово, сделано, одобрено, опубликовано, смержено, здорово, идеально, не за что, без проблем
чудово, клас[но], [виглядає] добре, молод(ець/ці), гарна/чудова робота, гаразд, зрозумі(ло/в/ла), прийнято, зроблено, схвалено, опубліковано, ідеально, нема за що
[jätte/kjempe]bra, topp[en], fantastiskt, utmärkt, underbart, snyggt, förstått, uppfattat, klart, färdig[t], godkän(t/d), publicerat, inga/ingen/intet problem, varsågod, kanon, grymt, ser bra ut, flott, supert, utmerket, nydelig, bra jobbet, godt [jobbet/arbejde/gået], okei, greit, ferdig, godkjent, publisert, ingen årsak, vær så god, fedt, flot [arbejde], fremragende, fint, forstået, færdig, godkendt, udgivet, selv tak, velbekomme, det var så lidt, ser godt ud
tamam[dır], harika, mükemmel, güzel, çok iyi, eline/elinize sağlık, aferin, anladım, anlaşıldı, oldu, bitti, onaylandı, yayınlandı, tamamlandı, peki, rica ederim, bir şey değil, sorun değil
ممتاز, رائع, جيد, جميل, حسنا, تمام, اوك, تم, مفهوم, فهمت, أحسنت, عمل رائع/ممتاز, عفوا, العفو, لا مشكلة, موافق, مثالي
ठीक, अच्छा, बढ़िया, शानदार, उत्तम, समझ/हो गया, समझ गई, स्वीकृत, वाह, शाबाश, कोई बात नहीं, बहुत खूब, ओके, theek hai
(了解/完了)[です/しました], (承知/確認)しました, (分/わ)か(りました/った), オッケー[です], オーケー, いい[です]ね, 良いですね, (素晴らしい/すごい/最高/さすが)[です], すばらしい, 完璧[です/だ], 大丈夫です, 問題ありません, 承認[しました], マージ(しました/済み), 終わりました, できました, どういたしまして, なるほど, やった, ナイス, okです
好[的/呀/啊/吧], 行, 可以, 没问题, 没事, (明白/搞定)[了], 知道了, 收到, 太(好/棒)了, (很/非常)好, [很/真]棒, 完美, 厉害, 优秀, 不错, 赞, 完成[了], 已(完成/合并/发布), 做完了, 合并了, [已]批准, 不客气, (干/做)得好, 哈哈, 沒問題, 瞭解, 厲害, 已合併, 不客氣, 讚, ok(了/的)
좋(아/아요/습니다/네요), 알겠(습니다/어요), 알았어요, (확인/승인)[했습니다], 오케이[요], 굿, 최고[예요/입니다], (훌륭/완벽)(해요/합니다), 대박, 멋(져요/지네요), 완료[했습니다/되었습니다], 머지했습니다, 천만에요, 괜찮아요, 잘(했어요/하셨습니다), 넵, 넹`,
  companions: `
you, u, much, very, a lot/ton/bunch/million/great/good, many, all, every(one/body), team, folks, guys, friend, mate, man, buddy, there, again, i, im, we, really, absolutely, pretty, truly, too, here, indeed, for now/this/that/it/all/everything/looking, for helping [out], as always/usual, in advance, for the help/work/look/update/fix/pr/changes/docs, for your help/work/time/patience, for the great/good work, for doing this, for the quick fix/help/response, for the (heads up/pull request), what a, job, work, thats, its, that was, look[s], it, that, this, the, your, [big] help, ever, day, of you, today, what i wanted/needed, fast, quick
sehr, wirklich, echt, ganz, das war, ist, das, es, dir, euch, ihnen, an alle/euch, alle[n/s], nochmal, noch einmal, vielmal[s], dafür, für alles, für deine/eure/ihre hilfe, für die [schnelle] hilfe, für die [tolle] arbeit, für die mühe, hat geklappt, gemacht, auch, zusammen
beaucoup, bien, très, vraiment, tout [le monde], à tous/vous/toi, tous, toutes, pour tout/l'aide/moi, pour ton/votre aide, pour le/votre travail, c'est, ça, l'équipe, encore, déjà, de mon côté, d'avance, par avance
muy, much(o/as), de verdad/novo, tan, todo[s], a todos/todas/ti, equipo, por todo/tudo, por la/tu/su/vuestra ayuda, por el trabajo, otra vez, está, eso, esto, muito, mesmo, pela [sua] ajuda, pelo trabalho, equipe, isso, chicos, demais, pessoal, galera, gente
molto, davvero, così, tutto, [a] tutti, per tutto/l'aiuto, per il tuo/vostro aiuto, per il lavoro, ancora
heel, erg, zeer, allemaal, iedereen, voor alles, voor de/je/jullie hulp, voor het werk, hoor, is, dat is, wel
bardzo, za wszystko, za [szybką] pomoc, to, jest, wam, ci, wszystkim, jeszcze raz, już
очень, большое, за всё/работу, за [быструю/вашу/твою] помощь, вам, тебе, всем, это, всё, уже, ещё раз, команда, вас, огромн(ое/ая), ребята, коллеги
дуже, за роботу, за [вашу/твою] допомогу, тобі, всім, це, вже, ще раз
så, mycket, för hjälpen/det/allt, det är/var/er, alla, allihopa, jobbat, riktigt, väldigt, igen, mye, for hjelpen/alt/hjælpen, veldig, igjen, meget, rigtig, virkelig, alle sammen, jättemycket
çok, gerçekten, yardımın[ız] için, her şey için, bu, herkese, hepinize, olmuş, tekrar, size, sana, ekip
جدا, كثيرا, جزيلا, لك, لكم, للجميع, على المساعدة/مساعدتك, على كل شيء, هذا, فريق, يا
बहुत, आपका, आप सबका, सबको, मदद के लिए, जी, टीम, यह, भाई, दोस्त
本当に, とても, 皆さん, みなさん, わあ, おお, 大家, 你, 您, 真的, 嗯, 嗯嗯
정말, 너무, 매우, 진짜, 아주, 대단히, 도와주셔서, 도와줘서, 모두, 다들, 여러분`,
};

export const stop: Phrases = {
  heads: `
stop, cancel, abort, kill, undo, never mind, nevermind, nvm, halt, terminate, quit, forget [about] it, scratch that, call it off, (dont/do not) do it/that/this, ignore, disregard, dont bother, wrong channel/thread/window, sent by mistake
stopp[e/en], anhalten, abbrechen, abbruch, brich, breche ab, hör [bitte] auf, aufhören, beende[n], storniere[n], rückgängig [machen], vergiss/lass es, schon gut, lass gut sein, doch nicht, falscher kanal
(arrêt/annul)(e/er/ez), abandonne[r], interromp(s/re), stopper, laisse[z] tomber, tant pis, oublie, mauvais canal
par(a/ar/e), páral(o/a), detén, detener, detente, detenl(o/a), alto, cancel(a/ar/ad/e), cancélal(o/a), abort(a/ar/e), deshacer, deshaz, anula[r], anúlalo, olvida, olvídalo, déjalo, no importa, basta, interrom(per/pa), desfa(z/zer/ça), esque(ce/ça), deixa [pra lá], chega, canal equivocado/errado
ferma[ti/re], annulla[re/lo], interromp(i/ere), lascia perdere/stare, non importa, smetti[la]
annule(er/ren), afbreken, breek af, ophouden, hou[d] op, laat maar, vergeet het, maak ongedaan, ongedaan maken
zatrzyma(j/ć), przerw(ij/ać), anul(uj/ować), cofn(ij/ąć), wycofaj, nieważne, zapomnij, przestań
стоп, стой, (останови/отмени/прекрати)[те/ть], остановись, отмен(а/яй), хватит, забудь, не надо/нужно, неважно, прерв(и/ать), отбой, забей
(зупин/припин)(и/іть/ити), зупинись, скасу(й/йте/вати), досить, не треба, неважливо, відмін(и/ити/а)
stoppa, stanna, avbryt[a/e], ångra, sluta, glöm/glem det, strunt[a] i det, stans, angre, slutt, ikke gjør det, kanseller, afbryd[e], annuller[e], fortryd, hold op, lad være, pyt
dur, durdur[un], iptal [edin], vazgeç[tim], geri al, boşver, boş ver, bırak, iptal edebilir misin[iz], iptal eder misin, durdurur musun, durdurabilir misin
توقف, قف, أوقف, إيقاف, ألغ, ألغي, إلغاء, تراجع, كفى, لا يهم, انس الأمر, وقف
रुकिए, रुकें, रोक/रहने/छोड़/जाने दो, रद्द, बंद/रद्द (करें/कर दो/कर दीजिए), रहने/रोक दीजिए, छोड़ो, स्टॉप, कैंसल
(止め/やめ)て[ください], (停止/中止/中断/キャンセル)[して[ください]], 取り消し[て[ください]], (停止/中止/キャンセル/取り消し)お願いします, キャンセル(で/したいです), ストップ, もういい[です], やっぱり(いいです/キャンセル/キャンセルで/やめます/なしで), 元に戻して, 気にしないで, 最後のをキャンセル[して], 最後のジョブをキャンセルして, 最後のリクエストをキャンセル[して[ください]], ジョブを(停止/キャンセル)[して], (ジョブを/それを/全部)止めて
停[下/一下/吧], [请]停下来, 停下來, 取消[吧/一下], 终止[任务], 撤销, 撤回, 算了[吧], 别(做/弄)了, 不要了, 不用做了, [请](停止/取消)任务, (请/請)(停止/取消), 取消(这个/上一个/最后一个/上一个任务), 停止工作, 終止, 撤銷, 別做了, (停止/取消)任務, 取消(上/最後)一個
멈춰[줘/ 줘/주세요/ 주세요], 그만[해/하세요], (중지/중단/취소)[해[줘/주세요/ 주세요]], 취소해 줘, 스톱, 정지, 됐(어요/습니다)`,
  companions: `
it, this, that, these, the, job, jobs, request, task, run, process, agent, one, last, latest, previous, current, running, my, everything, all, all of it/this/that, working [on it/on this], work, doing that/this, about/found/got/solved it, i need to, i want [you] to, i(d/ would) like to, how do/can i, do i, lets, we should, no, nein, non, não, nee, nie, нет, ні, nej, nei, hayır, لا, नहीं, いいえ, 아니요, mission, for now, i found it, found the answer, figured it out, all good
das, den, die, diese(n/s), es, auftrag, anfrage, aufgabe, letzte[n/s], laufenden, alles, meine[n], ab, ich möchte/will/wollte, agenten, wie kann ich
ça, cela, le, la, les, ce, cette, tout, tâche, travail, demande, requête, derni(er/ère), en cours, ma, mon, je veux/voudrais, l'agent
eso, esto, lo, el, los, últim(o/a), trabajo, tarea, solicitud, petición, todo, mi, quiero, ese, esa, este, esta, agente, isso, isto, o, a, trabalho, tarefa, pedido, tudo, meu, minha, quero, esse, essa
il, l'ultim(o/a), lavoro, richiesta, quest(o/a), quell(o/a), tutto, mio, mia, voglio, l'agente
het, dit, dat, de, laatste, taak, opdracht, verzoek, mijn, ermee, deze, ik wil, lopende
to, ten, tę, zadanie, zlecenie, ostatni[e/ą], prośbę, wszystko, moj(e/ą), pracę, o tym, chcę
эт(о/у/от), задачу, задание, запрос, последн(юю/ий/ее), работу, всё, мо(ю/й/ё), об этом, я хочу, агента, це, цю, цей, завдання, запит, останн(є/ій/ю), роботу, моє, мій, про це
det, det här/där, jobbet, uppgiften, senaste, sista, allt, mitt, min, detta, jag vill, dette, jobben, oppgaven, forespørselen, siste, alt, jeg vil, opgaven, anmodningen, seneste, sidste, mit
bunu, onu, şunu, işi, son, görevi, isteği, hepsini, her şeyi, şu, bu, artık
هذا, هذه, ذلك, المهمة, الطلب, العمل, الأخير[ة], كل شيء, أريد, الوظيفة
इसे, इसको, यह, उसे, काम, कार्य, अनुरोध, आखिरी, अंतिम, पिछला, सब, सब कुछ, मेरा, को
이거, 이것, 그거, 마지막, (작업/요청)[을], 전부, 모두, 다, 이, 그, 잠깐, 방금 거/것`,
};

export const help: Phrases = {
  heads: `
[i need/show] help, commands, what do you do, what can you do [for me], what can i (do [here]/ask [you]), who/what are you, how does this/it work, how do you work, how do i use this/you, how to use this, are you a bot, what is (this/docs agent), what commands (do you have/are there), usage
[ich brauche] hilfe, hilf mir, was kannst du [alles/tun], was machst/bist du, was können sie, wer bist du, wie funktioniert/geht das, wie funktionierst du, befehle
aide [moi], aidez moi, à l'aide, j'ai besoin d'aide, que (peux tu/sais tu/pouvez vous) faire, tu fais quoi, qu'est ce que tu peux/sais faire, qui (es tu/êtes vous), comment ça marche/fonctionne
[necesito] ayuda, ayúdame, qué puedes/sabes hacer, qué haces, quién eres, cómo funciona[s/ esto], comandos, [preciso de] ajuda, me ajude, o que você (pode fazer/faz), o que podes fazer, quem (é você/és tu), como isso/isto funciona
[ho bisogno di] aiuto, aiutami, [che] cosa puoi/sai fare, chi sei, come funziona/funzioni, comandi
hulp, help mij, ik heb hulp nodig, wat doe je, wat kan/kun je [doen], wie ben je, hoe werkt dit/het
pomoc[y], pomóż [mi], co potrafisz/umiesz, co możesz zrobić, kim jesteś, jak to działa, jak działasz
помощь, помоги [мне], помогите, справка, команды, что [ты] умеешь, что ты можешь, что вы умеете, кто ты/вы, как (это работает/ты работаешь)
допомога, допоможи [мені], допоможіть, довідка, команди, що ти вмієш/можеш, що ви вмієте, хто ти/ви, як це працює
hjälp/hjælp [mig], vad kan du [göra], vad gör du, vem är du, hur funkar/fungerar det [här], hur fungerar detta, hjelp [meg], hva kan du [gjøre], hva gjør du, hvem er du, hvordan fungerer/virker dette/det, hvad kan du [gøre], hvad gør du
yardım [edin], ne/neler yapabilirsin, ne yapıyorsun, [sen] kimsin, [bu] nasıl çalışıyor, nasıl çalışıyorsun, komutlar
[ال]مساعدة, ساعدني, ماذا يمكنك/تستطيع أن تفعل, ماذا تفعل, من أنت, كيف يعمل [هذا], كيف تعمل
मदद [करें], सहायता, आप (क्या कर सकते/कौन) हैं, तुम (क्या कर सकते/कौन) हो, यह कैसे काम करता है
ヘルプ, 助けて, 使い方[は/を教えて[ください]], 何ができる[の], (何/なに)ができますか, あなたは誰[ですか], 誰ですか, どうやって使(うの/いますか)
帮助, [帮]帮我, 你(能/会/可以)做什么, 你(会/能干/能帮我)什么, 你是谁, [这个]怎么用, (怎么/如何/怎麼)使用, 幫助, 幫幫我, 你(能/會/可以)做什麼, 你是誰, 怎麼用
도움[말], 도와(줘/주세요), 뭘/무엇을 할 수 있어/있나요, 뭐 할 수 있어, 누구세요, [너는] 누구야, 어떻게 사용해/사용하나요/쓰나요, 사용법`,
};

export const list: Phrases = {
  heads: `
list, [my/show/open/all my/show my/list all/what are my] jobs, [show] my requests, what(s/ is) running
liste, aufträge, [zeig/zeige] meine jobs/aufträge, meine anfragen, was läuft
mes jobs/tâches/demandes/travaux, lista, mis trabajos/tareas/solicitudes/peticiones, meus trabalhos/pedidos, minhas tarefas, elenco, [i] miei lavori, le mie richieste
lijst, mijn jobs/taken/opdrachten, moje zadania/zlecenia/prośby, список, [покажи] мои задачи, мои задания/запросы, мої завдання/задачі/запити
mina jobb/uppgifter, mine jobber/oppgaver/jobs/opgaver, işlerim, görevlerim, isteklerim, قائمة, مهامي, طلباتي, सूची, मेरे काम/कार्य/अनुरोध
リスト, [ジョブ]一覧, (自分/私)のジョブ, [任务/任務]列表, 我的(任务/请求/任務), [작업] 목록, 내 작업/요청`,
};

export const details: Phrases = { heads: '[show/show me the] details' };

export const status: Phrases = {
  heads: `
[current/show/whats the/whats my/what is the] status, status update
[wie ist der/was ist der/aktueller] stand, wie ist der status, [quel est le] statut, [cuál es el] estado, qual [é] o status, [qual è lo] stato, wat is de status, jaki jest status, [какой/який] статус
(vad är/hva er) statusen, hvad er status, durum [ne], [ما هي] الحالة, स्थिति, क्या स्थिति है, स्टेटस, (ステータス/状況)[は], [当前]状态, 状态如何, 狀態, [현재] 상태, 상태는`,
  companions:
    'of, on, it, this, that, my, the, job, request, pr, pull request, der, meinem, auftrag, meines auftrags, von meinem job',
};

export const progress: Phrases = {
  heads: `
is it done/ready/finished/merged, is this/that done, is this ready, are you done/ready/finished/working/there/stuck, [are you] still working/there, done/ready/finished yet, any news/update/updates/progress/luck, how far [along] (are you/is it), how(s/ is) it (going/coming along), hows it looking, how long [does it take], how long will it/this/that take, how much longer, when will it/this/you be done, when will it/this be ready, when is it done/ready, [whats the/what is the] eta, what(s/ is) (happening/going on), what are you doing, where are we [at], did it work, did you finish, (have you/has it) finished, where(s/ is) the/my pr, where is the pull request, is the (pr/pull request) ready, is there a pr, are we there yet, how is (it/my job/my request) doing, hows my job doing, where (does it/do we) stand, when can i expect it, (did you open/have you opened) the/a pr, did the pr get created, was the pr created
[wann] ist es/das fertig, [wann] bist du fertig, bist du soweit, schon fertig, gibt es [schon] (neuigkeiten/etwas neues/was neues), gibt's (neuigkeiten/was neues), (gibt es/gibt's) ein update, was/irgendwas neues, wie weit (bist du/ist es/sind wir), wie lange noch, wie lange dauert es/das, wie läuft('s/ es), noch dran, wie ist der stand der dinge, wo ist/bleibt der pr, läuft das/es noch, dauert das/es noch lange, wie sieht's aus
est ce que c'est fait/prêt/fini, (est ce/c'est) prêt/fini, des nouvelles, du nouveau, quoi de neuf, où en (es tu/est on), où ça en est, ça avance [bien], combien de temps [ça prend], c'est pour quand, (as tu/tu as/avez vous) fini, où est la pr, quand est ce que (ce sera/c'est) prêt, ce sera prêt quand, quand sera ce prêt
está listo/hecho/terminado/pronto/feito, ya/já está, alguna novedad/noticia, [hay] novedades, hay noticias, cómo va[s], cuánto [tiempo] falta, cuánto tarda[rá], cuándo estará [listo], cuándo (termina/va a estar), terminaste, has terminado, alguma novidade, [tem] novidades, tem previsão, como está indo, quanto [tempo] falta, quanto tempo, quando fica/estará pronto, terminou, acabou, dónde está el pr, falta mucho, vai demorar, demora muito, cadê o pr
è pronto/fatto, è/hai finito, a che punto sei/siamo, [ci sono] novità, quanto manca, quanto [tempo] ci vuole, quando è/sarà pronto, come procede
(is het/ben je) [al] klaar, al klaar, nog nieuws, is er [al] nieuws, hoe ver (ben je/is het), hoe lang (nog/duurt het), wanneer is het klaar, lukt het
czy to/jest gotowe, [czy] już gotowe, gotowe już, [czy] skończyłeś, [są] jakieś wieści, jakieś nowości, co nowego, jak idzie, jak daleko jesteś, ile jeszcze, jak długo jeszcze, kiedy (będzie gotowe/skończysz)
готово ли, уже готово/всё, ещё не готово, [ты] закончил, есть/какие новости, новости есть, что нового, как продвигается/успехи, как идут дела, сколько (ещё [ждать]/осталось), когда/скоро будет готово, долго ещё, есть прогресс, где (pr/пулл реквест)
чи/вже готово, ще не готово, [ти] закінчив, є/які новини, що нового, як просувається/успіхи, скільки ще/залишилось, коли буде готово, довго ще, є прогрес
är det klart, är du klar, klar[t] än, några/noen nyheter, något/nåt/noe nytt, hur långt har du kommit, hur/hvordan går det, hur länge till, hur lång tid tar det, när är/blir det klart, er det/du ferdig, hvor langt (har du kommet/er du), hvor lenge/længe, hvor lang tid tar/tager det, når er/blir det ferdig, [hvornår] er det færdigt, [hvornår] er du færdig, er den færdig, noget nyt, nogen nyheder
bitti/bitirdin mi, [daha] bitmedi mi, hazır mı, oldu mu, yeni bir şey var mı, haber/gelişme var mı, ne kadar sürer/kaldı/sürecek, ne zaman (biter/hazır olur), nasıl gidiyor, ne durumda/aşamada, ne oldu [acaba], pr nerede
هل انتهى [العمل], هل انتهيت, هل تم [الانتهاء], هل هو جاهز, هل هناك أخبار, هل من جديد, ما الجديد/الأخبار, كم تبقى/باقي/بقي, كم من الوقت, متى ينتهي, متى سيكون جاهزا, إلى أين وصلت, وين وصلت
[काम] हो गया क्या, काम हुआ क्या, क्या [यह] हो गया, तैयार है क्या, क्या तैयार है, कोई खबर/अपडेट, कितना समय लगेगा, कितनी देर, कब [तक/तैयार] होगा, कब तक [हो जाएगा]
[もう](終わり/でき)ましたか, もう(終わった/できた), (完了/完成)しましたか, [PRは]まだですか, 進捗[は/状況は/どうですか/を教えて], [進捗は/状況は]どうですか, どうな(りましたか/ってる/っていますか), いつ(終わり/でき)ますか, あとど(れ/の)くらい, ど(れ/の)くらいかかりますか, PR[は]できましたか, どんな感じですか
(好/完成/做完/做好)了(吗/没), (搞定/弄好)了吗, 有(进展/消息)吗, 进度[如何/怎么样/怎么样了], 进展(如何/怎么样), [做得]怎么样了, [还/需]要多久, 什么时候(好/能好/完成), 到哪[一步]了, 还没好[吗], (好/完成/做完)了嗎, 有進展嗎, 進度[如何], 還要多久, 什麼時候好
다 됐어/됐나요/되었나요/됐어요, 끝났(어/나요/습니까), 완료(됐/되었)나요, 진행 상황[은/이 어떤가요], 진행상황, 어떻게 (돼가/되어 가나요/되고 있나요), 얼마나 걸려/걸리나요/남았어/남았나요, 언제 끝나[나요/요], 언제 되나요/돼요, 소식 있나요, 아직인가요, 아직 멀었나요, 어디까지 됐나요`,
  companions: `
it, this, that, on/with/for it/this, on/with that, [on] my/the job/request/pr, yet, already, so far, still, from you, here, today, there, is, isnt, the/my pull request
es, das, schon, noch, damit, dazu, denn, eigentlich, mit dem/meinem job, job, déjà, encore, alors, bientôt, ça, eso, esto, todavía, aún, ainda, isso, già, ancora, al, ermee, już, z tym, уже, это, с этим, вже, це, det, än, ennå, ferdig, şu, artık, ist, bist du, bald, der job/auftrag/pr, mein job/auftrag, c'est, está`,
  asked: `
done, ready, finished, merged, complete[d], published, news, update[s], progress, running, well, up, open, going, stuck
fertig, erledigt, neuigkeiten, gemerged, fait, prêt, fini, terminé, c'est bon, listo, hecho, terminado, pronto, feito, fatto, finito, klaar, nieuws, gedaan, gotowe, zrobione, готово, сделано, новости, скоро, ну как/что, зроблено, новини
klar[t], färdig[t], ferdig, færdig[t], bitti, hazır, جاهز, انتهى, तैयार, हो गया, 終わった, できた, まだ, 好了, 完成, 怎么样`,
};

/** Turn a question into a request. `*`: any ending. */
export const changes = `
add[s/ed/ing] append* attach* updat* edit[s/ed/ing] chang(e/es/ed/ing) modif* adjust* adapt* amend* fix[es/ed/ing] correct* repair* resolv* writ(e/es/ing) wrote rewrit* rework* rephras* reword* document[s/ed/ing] redocument* explain* clarif* describ* elaborat* outlin* summar* remov* delet* drop[s] strip* hide trim* cut renam* retitl* move* moving reorgani* reorder* restructur* rearrang* split* merg(e/ing) combin* translat* locali* create* creating mak(e/es/ing) build draft* generat* produc* prepar* put mention* cover[s/ing] list[s] note link[s/ed/ing] replac* swap* substitut* convert* turn [re]format* shorten* simplif* condens* expand* extend* improv* enhanc* polish* refin* refresh* moderni* tidy clean* proofread* review* check verify ensure revert* restore undo publish deprecat* highlight* illustrat* show typo* misspel* missing broken outdated bump* sync* align* unif* standardi* introduc* provid* give specif* define* redirect* annotat* caption* embed* migrat* tag set mark
[hinzu]füg* ergänz* aktualisier* änder* geändert korrigier* behebe* behoben [um/be]schreib* dokumentier* erklär* erläuter* entfern* lösch* [um]benenn* verschieb* übersetz* erstell* mach* ersetz* erweiter* verbesser* kürz* überarbeit* einfüg* einbau* erwähn* verlink* prüf* anpass* pass[e] vereinfach* aufnehm* tippfehler* fehl(t/en) zusammenfass* anleg* streich* präzisier*
documente[r/z] [r]ajout* mets mett(re/ez) actualis* corrig* [ré]écri* rédig* expliqu* décri* détaill* supprim* enlev* retir* renomm* déplac* tradui* crée* fais faire faites remplac* améliore* raccourc* précise* inclu* insér* vérifi* faute* manqu*
documentar agreg* añad* cambi* corrij* correg* arregl* [re]escrib* redact* explic* elimin* borr* quita* renombr* mueve* traduc* crea[r] haz hacer hagas reemplaz* sustitu* ampli* mejor* acort* aclar* revis* falta* errata* pon poner pongas
adicion* acrescent* atualiz* mudar mude alter* consert* [re]escrev* redij* descrev* apag* renome* traduz* cria[r] crie faz[er] faça melhor* encurt* esclare* coloc*
aggiung* aggiorn* sistem* [ri]scriv* spieg* rimuov* togli* rinomin* spost* creare crei fai fare miglior* accorci* chiar* menzion* manca[no] refuso semplific* metti mettere document(a/are/ate/i)
[toe]voeg* bijwerk* wijzig* aanpass* verander* herstel* schrijf* schrijv* herschrij* documente(er/ren) uitleg* leg beschrij* verwijder* hernoem* verplaats* vertaal* vertal* maak maken vervang* uitbreid* verbeter* inkort* verduidelijk* vermeld* controleer* ontbreek* typfout* zet plaats
doda* [z]aktualiz* zmien* zmian* popraw* napraw* napis* pisać dokumentu* udokument* wyjaśni* opis* usuń* usuw* przenie* [prze]tłumacz* utwórz* stwórz* zrób* zastąp* rozszerz* skróc* wspomn* uwzględn* sprawdz* brak* literówk* uprośc*
добав* обнов* измен* исправ* поправ* напис* напиш* перепис* перепиш* документир* задокумент* объясн* опис* опиш* удал* убер* убра* перемест* перенес* перевед* перевест* созда* сдела* замен* расшир* улучш* сократ* уточн* упомян* включ* провер* опечатк* упрост* поясн* дополн* вставь* вставит*
дода* онов* змін* виправ* документув* видал* прибер* перейм* перемі* переклад* переклас* створ* зроб* замін* розшир* покращ* скорот* згада* перевір* спрост* доповн*
lägg* uppdater* ändra* rätta* fixa* skriv* dokumenter* förklar* beskriv* tydligg* radera* döp* översätt* skapa* gör[a] ersätt* byt[a] utök* förbättr* korta* nämn* saknas stavfel* förenkl* bort
legg* oppdater* endre* rett[e] fiks* fjern* slett* flytt* oversett* lag[e] gjør[e] utvid* forbedr* nevn* sjekk* mangler
tilføj* opdater* ændr* ret slet omdøb* flyt oversæt* lav[e] opret* gøre erstat* udvid* forkort* nævn* tjek* stavefejl*
ekle* güncelle* değiştir* düzelt* düzenle* yaz[ar] yazabilir* belgele* açıkla* anlat* tanımla* kaldır* sil silebilir* adlandır* taşı* çevir* oluştur* yap[ar] genişlet* iyileştir* kısalt* bahset* eksik* basitleştir*`;

/** For scripts that join words or prefix particles: at any position. */
export const changesWithin = `

أضف, ضيف, إضافة, حدث, تحديث, عدل, تعديل, تغيير, صحح, تصحيح, أصلح, إصلاح, اكتب, كتابة, تكتب, وثق, توثيق, شرح, وصف, حذف, أزل, إزالة, تسمية, نقل, ترجم, أنشئ, إنشاء, استبدل, تحسين, اختصر, وضح, توضيح
जोड़, अपडेट/ठीक कर, बदल, सुधार, लिख, समझा, वर्णन, हटा, मिटा, अनुवाद, बना, शामिल, स्पष्ट, विस्तार
追加, 更新, 修正, 直(し/す), 変更, 書(い/き/く), 記(載/述), (文書/ドキュメント)化, 説明, 解説, 削除, 消し, リネーム, 移動, 翻訳, 作(成/っ/り), 置き換え, 拡充, 改善, 短く, 明確, 追記, 反映, 訳し, まとめ, 入れて, 載せ
添加, 增加, 加(上/一/个), 新增, 修(改/复), 改(成/一/为), 写, 记录, 文档化, 说明, 解释, 描述, 删除, 删掉, 去掉, 移除, 重命名, 移动, 翻译, 创建, 替换, 扩展, 完善, 优化, 缩短, 补充, 校对, 检查, 修復, 寫, 說明, 解釋, 刪除, 翻譯, 建立, 補充, 檢查
추가, 업데이트해, 수정, 변경, 고쳐, 고치, 작성, 써줘, 써 줘, 문서화, 설명, 삭제, 제거, 지워, 옮겨, 옮기, 이동, 번역, 만들, 생성, 교체, 바꿔, 바꾸, 확장, 개선, 줄여, 명확, 정리, 반영, 넣어`;
