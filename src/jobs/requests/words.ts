/**
 * Commas separate phrases, slashes alternatives of a word. Accents do not count, and listed phrases combine.
 * One line per language: English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian,
 * Ukrainian, Swedish, Norwegian, Danish, Turkish, Arabic, Hindi, Japanese, Chinese, Korean. Scripts without
 * spaces need whole sentences.
 */
export type Phrases = Readonly<{
  heads: string;
  companions?: string;
  /** Heads only in questions. */
  asked?: string;
}>;

export const courtesies = `
please, pls, plz, kindly, can/could/would/will you, can we, sorry, now, right now, just, bot, docs agent, slash docs agent, asap, immediately, yes, wait, oh, oops, um, hmm, me, then, actually, well, so, ok, okay, and, but
bitte, mal, jetzt, sofort, kannst/könntest du, können/könnten sie, doch, einfach, ja, entschuldigung, ups, und
s'il te/vous plaît, svp, stp, maintenant, tout de suite, peux tu, pouvez vous, oui, désolé, désolée, pardon, et
por favor, ahora, ya, puedes, podrías, puede, sí, perdón, y, agora, pode, você pode, podes, sim, desculpe, desculpa
per favore/piacere, adesso, ora, subito, puoi, potresti, può, scusa, scusate, e
alsjeblieft, alstublieft, aub, nu, kun/kan je, graag, meteen, en
proszę, teraz, czy możesz, możesz, natychmiast, przepraszam
пожалуйста, плиз, сейчас, можешь, можете, да, извини, извините, срочно, будь ласка, зараз, можеш, так, вибач, вибачте
snälla, kan du, förlåt, genast, vær så snill, nå, unnskyld, venligst, undskyld
lütfen, şimdi, hemen, evet
من فضلك, رجاء, لو سمحت, الآن, هل يمكنك, نعم, آسف
कृपया, अभी, प्लीज, क्या आप, हाँ, माफ़ कीजिए
お願いします, ください, すぐに, 今すぐ, すみません, はい, 请, 麻烦, 现在, 马上, 立刻, 不好意思, 抱歉, 請, 麻煩, 現在, 馬上
제발, 지금, 당장, 바로, 죄송합니다, 죄송해요, 네`;

export const greetings = `
hi, hello, hey, heya, hiya, howdy, yo, hi/hey/hello there, good morning/afternoon/evening/night, morning, evening, greetings, how are you, how are you doing/today, whats up, sup, bye, goodbye, see you, see you later/tomorrow, take care, have a nice/good/great day/weekend, nice to meet you
hallo, moin, servus, grüß gott/dich, grüezi, guten tag/morgen/abend, gute nacht, wie geht's, wie geht es dir/ihnen, tschüss, schönen tag/abend/feierabend, schönen tag noch, schönes wochenende, bis dann/später, mahlzeit
bonjour, bonsoir, salut, coucou, bonne journée/soirée/nuit, bon week end, ça va, comment ça va, comment vas tu, comment allez vous, au revoir, à bientôt
hola, buenos días, buen día, buenas tardes/noches, buenas, qué tal, cómo estás/está, adiós, hasta luego, olá, oi, bom dia, boa tarde/noite, tudo bem/bom, como vai, tchau, até logo
ciao, buongiorno, buon giorno, buonasera, buona sera/giornata, salve, come stai/va, arrivederci
hoi, goedemorgen, goeiemorgen, goedemiddag, goedenavond, dag, doei, tot ziens, fijne dag
cześć, hej, siema, dzień dobry, dobry wieczór, witam, witaj, co słychać, do widzenia, na razie, miłego dnia
привет, приветик, всем привет, здравствуйте, здравствуй, добрый день/вечер, доброе утро, доброй ночи, как дела, пока, до свидания, хорошего дня
привіт, вітаю, добрий день/ранок/вечір, доброго дня/ранку, як справи, бувай, до побачення, гарного дня
hejsan, hallå, tjena, tja, god morgon/kväll/dag/morgen/kveld/helg/aften/weekend, hejdå, ha en bra dag, trevlig helg, hei, heisann, ha det, ha det bra, hejsa, goddag, godmorgen, farvel, hav en god dag
merhaba, merhabalar, selam, selamlar, günaydın, iyi günler/akşamlar/geceler, nasılsın, nasılsınız, hoşça kal, görüşürüz, kolay gelsin
مرحبا, أهلا, أهلا وسهلا, السلام عليكم, وعليكم السلام, سلام, صباح/مساء الخير/النور, كيف حالك/الحال, مع السلامة, السلام عليكم ورحمة الله, السلام عليكم ورحمة الله وبركاته
नमस्ते, नमस्कार, हैलो, हाय, सुप्रभात, शुभ प्रभात/रात्रि, आप कैसे हैं, कैसे हो, namaste
こんにちは, こんばんは, おはよう, おはようございます, はじめまして, お疲れ様, お疲れ様です, お疲れ様でした, お疲れさまです, お疲れさまでした, よろしくお願いします, よろしくお願いいたします, おやすみなさい, さようなら, お元気ですか
你好, 您好, 你好啊, 大家好, 嗨, 哈喽, 早, 早上好, 早安, 上午好, 下午好, 晚上好, 晚安, 你好吗, 你好嗎, 再见, 再見, 拜拜, 在吗
안녕, 안녕하세요, 안녕하십니까, 좋은 아침/아침입니다/아침이에요, 잘 지내세요, 안녕히 계세요/가세요, 수고하세요, 반갑습니다`;

export const thanks = `
thank you/u, thanks, thankyou, thanx, thx, thnx, tnx, ty, tysm, tyvm, cheers, ta, many/big/no thanks, much appreciated, appreciated, appreciate it, i appreciate it, no thank you, nein danke, non merci, no gracias/grazie/need, não obrigado/obrigada, nee dank je, nee bedankt, nie dziękuję, нет спасибо, ні дякую, nej tack/tak, nei takk, hayır teşekkürler, لا شكرا, नहीं धन्यवाद, いいえ ありがとうございます, 아니요 감사합니다/괜찮습니다
danke, dankeschön, danke schön/sehr, dank dir, vielen/lieben/tausend/herzlichen/besten dank, vielen lieben dank, merci
merci beaucoup/bien/infiniment, grand merci, un grand merci, mille mercis, je te/vous remercie
gracias, muchas/muchísimas/mil gracias, te lo agradezco, se agradece, obrigado, obrigada, muito obrigado/obrigada, brigado, valeu, agradeço, brigada, gratidão
grazie, grazie mille/infinite, mille/molte/tante grazie, ti/vi ringrazio
dank je/u, dank je/u wel, dankjewel, dankje, bedankt, hartelijk dank, heel erg bedankt
dziękuję, dziękujemy, dzięki, wielkie dzięki, dzięki wielkie, serdecznie dziękuję, спасибо, спасибки, спс, благодарю, большое/огромное спасибо, дякую, щиро/велике дякую, дяки, спасибі
tack, tackar, tusen tack/takk, stort tack, takk, mange takk/tak, takk skal du ha, tak, tusind tak, tak skal du have
teşekkür, teşekkürler, teşekkür ederim/ederiz, sağ ol/olun, sağol, eyvallah, tşk, tşkler
شكرا, شكرا جزيلا/لك/لكم, ألف شكر, مشكور, تسلم, تسلم ايدك, يعطيك العافية, الله يعطيك العافية
धन्यवाद, शुक्रिया, बहुत धन्यवाद/शुक्रिया, बहुत बहुत धन्यवाद, dhanyavaad, shukriya
ありがとう, ありがとうございます, ありがとうございました, どうもありがとう, どうもありがとうございます, どうもありがとうございました, 本当にありがとうございます, どうも, 感謝, 感謝します, サンキュー, 助かります, 助かりました, 結構です, 感謝です, どうもです
谢谢, 谢谢你, 谢谢您, 谢谢大家, 谢了, 谢啦, 多谢, 感谢, 感谢你, 感谢您, 非常感谢, 十分感谢, 太感谢了, 辛苦了, 你辛苦了, 您辛苦了, 不用谢, 不用了, 謝謝, 謝謝你, 謝謝您, 謝了, 多謝, 非常感謝, 多谢多谢, 谢谢谢谢
감사, 감사합니다, 감사해요, 고마워, 고마워요, 고맙습니다, 땡큐, 수고하셨습니다, 고생하셨습니다, 괜찮습니다`;

export const smallTalk = {
  heads: `
ok, okay, okey, okie, oki, k, kk, alright, all right/set, got/love/thats it, gotcha, understood, noted, roger, sounds good, lgtm, great, good, nice, nice one, nicely done, perfect, awesome, cool, super, excellent, wonderful, brilliant, amazing, lovely, fantastic, sweet, neat, beautiful, impressive, superb, terrific, outstanding, great stuff, love this, yay, hooray, woohoo, wow, haha, hahaha, lol, fine, done, approved, merged, shipped, published, deployed, reviewed, its live, no problem/worries, np, youre welcome, you are welcome, my pleasure, works for me, it works, works great, works like a charm, thats all, welcome back, that was fast/quick, so fast/quick, exactly/thats/just what i wanted/needed, merging, ill merge it, ive merged/approved it, i have merged it
toll, prima, klasse, perfekt, großartig, wunderbar, ausgezeichnet, hervorragend, genial, spitze, top, mega, gut, gute arbeit, schön, passt, alles/geht klar, in ordnung, verstanden, einverstanden, erledigt, fertig, freigegeben, genehmigt, gemerged, gemergt, veröffentlicht, sieht gut aus, kein problem, gern geschehen, gerne, funktioniert
d'accord, parfait, parfaite, magnifique, bravo, bien joué, beau/bon travail, très bien, c'est bon, ça marche, entendu, compris, fait, terminé, approuvé, validé, fusionné, publié, nickel, impeccable, formidable, chouette, de rien, avec plaisir, pas de problème, je vous en prie, reçu
vale, de acuerdo/nada, perfecto, estupendo, excelente, fantástico, maravilloso, buenísimo, muy/qué/todo bien, buen/gran trabajo, listo, hecho, aprobado, fusionado, publicado, terminado, entendido, guay, sin problema, no hay problema, se ve bien
ótimo, perfeito, maravilha, maravilhoso, legal, beleza, muito bem, muito/tá/está bom, bom/ótimo trabalho, bem feito, feito, pronto, aprovado, concluído, combinado, certo, tudo certo, sem problema, parabéns, show de bola, boa, massa
perfetto, ottimo, bene, va bene, benissimo, bravi, ben fatto, ottimo/bel lavoro, eccellente, stupendo, meraviglioso, capito, fatto, approvato, pubblicato, finito, prego, figurati, nessun problema, tutto a posto
geweldig, mooi, goed, goed werk, lekker bezig, oké, akkoord, begrepen, klaar, gedaan, goedgekeurd, gepubliceerd, uitstekend, fantastisch, geen probleem, ziet er goed uit
świetnie, świetna/dobra robota, doskonale, idealnie, wspaniale, dobrze, okej, jasne, rozumiem, zrobione, gotowe, zatwierdzone, opublikowane, gratulacje, brawo, rewelacja, nie ma problemu/sprawy, proszę bardzo, wygląda dobrze
отлично, супер, класс, классно, круто, прекрасно, замечательно, великолепно, хорошо, молодец, молодцы, хорошая/отличная работа, ок, окей, ладно, понятно, понял, поняла, принято, готово, сделано, одобрено, опубликовано, смержено, здорово, идеально, не за что, без проблем, выглядит хорошо
чудово, клас, класно, добре, молодець, молодці, гарна/чудова робота, гаразд, зрозуміло, зрозумів, зрозуміла, прийнято, зроблено, схвалено, опубліковано, ідеально, нема за що, виглядає добре
bra, jättebra, toppen, fantastiskt, utmärkt, underbart, snyggt, förstått, uppfattat, klart, färdigt, färdig, godkänt, godkänd, publicerat, inga/ingen/intet problem, varsågod, kanon, grymt, ser bra ut, flott, supert, topp, kjempebra, utmerket, nydelig, bra jobbet, godt jobbet/arbejde/gået, okei, greit, ferdig, godkjent, publisert, ingen årsak, vær så god, godt, fedt, flot, fremragende, flot arbejde, fint, forstået, færdig, godkendt, udgivet, selv tak, velbekomme, det var så lidt, ser godt ud
tamam, tamamdır, harika, mükemmel, güzel, çok iyi, eline/elinize sağlık, aferin, anladım, anlaşıldı, oldu, bitti, onaylandı, yayınlandı, tamamlandı, peki, rica ederim, bir şey değil, sorun değil
ممتاز, رائع, جيد, جميل, حسنا, تمام, اوك, تم, مفهوم, فهمت, أحسنت, عمل رائع/ممتاز, عفوا, العفو, لا مشكلة, موافق, مثالي
ठीक, अच्छा, बढ़िया, शानदार, उत्तम, समझ/हो गया, समझ गई, स्वीकृत, वाह, शाबाश, कोई बात नहीं, बहुत खूब, ओके, theek hai
了解, 了解です, 了解しました, 承知しました, わかりました, 分かりました, わかった, 分かった, オッケー, オーケー, いいね, いいですね, 良いですね, 素晴らしい, 素晴らしいです, すばらしい, すごい, すごいです, 完璧, 完璧です, 最高, 最高です, 大丈夫です, 問題ありません, 完了, 完了です, 完了しました, 承認, 承認しました, マージしました, マージ済み, 終わりました, できました, どういたしまして, なるほど, やった, ナイス, さすが, さすがです, 確認しました, okです, オッケーです, 完璧だ
好, 好的, 好呀, 好啊, 好吧, 行, 可以, 没问题, 没事, 明白, 明白了, 知道了, 收到, 太好了, 太棒了, 很好, 非常好, 很棒, 真棒, 棒, 完美, 厉害, 优秀, 不错, 赞, 搞定, 搞定了, 完成, 完成了, 已完成, 做完了, 已合并, 合并了, 已批准, 批准, 已发布, 不客气, 干得好, 做得好, 哈哈, 沒問題, 瞭解, 厲害, 已合併, 不客氣, 讚, ok了, ok的
좋아, 좋아요, 좋습니다, 좋네요, 알겠습니다, 알겠어요, 알았어요, 확인, 확인했습니다, 오케이, 굿, 최고, 최고예요, 최고입니다, 훌륭해요, 훌륭합니다, 완벽해요, 완벽합니다, 대박, 멋져요, 멋지네요, 완료, 완료했습니다, 완료되었습니다, 승인, 승인했습니다, 머지했습니다, 천만에요, 괜찮아요, 잘했어요, 잘하셨습니다, 넵, 넹, 오케이요`,
  companions: `
you, u, much, very, a lot/ton/bunch/million/great/good, many, all, everyone, everybody, team, folks, guys, friend, mate, man, buddy, there, again, i, im, we, really, absolutely, pretty, truly, too, here, indeed, for now/helping/this/that/it/all/everything/looking, as always/usual, in advance, for the help/work/look/update/fix/pr/changes/docs, for your help/work/time/patience, for helping out, for the great/good work, for doing this, for the quick fix/help/response, for the heads up, for the pull request, what a, job, work, thats, its, that was, looks, look, it, that, this, the, your, big help, help, ever, day, of you, today, what i wanted/needed, fast, quick
sehr, wirklich, echt, ganz, das war, ist, das, es, dir, euch, ihnen, an alle/euch, alle, alles, nochmal, noch einmal, vielmals, dafür, für alles, für die/deine/eure/ihre hilfe, für die schnelle hilfe, für die arbeit/mühe, für die tolle arbeit, hat geklappt, gemacht, auch, zusammen, allen, vielmal
beaucoup, bien, très, vraiment, tout, à tous/vous/toi, tous, toutes, tout le monde, pour tout/l'aide/moi, pour ton/votre aide, pour le/votre travail, c'est, ça, l'équipe, encore, déjà, de mon côté, d'avance, par avance
muy, mucho, muchas, de verdad/novo, tan, todo, todos, a todos/todas/ti, equipo, por todo/tudo, por la/tu/su/vuestra ayuda, por el trabajo, otra vez, está, eso, esto, muito, mesmo, pela ajuda, pela sua ajuda, pelo trabalho, equipe, isso, chicos, demais, pessoal, galera, gente
molto, davvero, così, tutto, tutti, a tutti, per tutto/l'aiuto, per il tuo/vostro aiuto, per il lavoro, ancora
heel, erg, zeer, allemaal, iedereen, voor alles, voor de/je/jullie hulp, voor het werk, hoor, is, dat is, wel
bardzo, za pomoc/wszystko, za szybką pomoc, to, jest, wam, ci, wszystkim, jeszcze raz, już
очень, большое, за помощь/всё/работу, за быструю/вашу/твою помощь, вам, тебе, всем, это, всё, уже, ещё раз, команда, вас, огромное, огромная, ребята, коллеги
дуже, за допомогу/роботу, за вашу/твою допомогу, тобі, всім, це, вже, ще раз
så, mycket, för hjälpen/det/allt, det är/var/er, alla, allihopa, jobbat, riktigt, väldigt, igen, mye, for hjelpen/alt/hjælpen, veldig, igjen, meget, rigtig, virkelig, alle sammen, jättemycket
çok, gerçekten, yardımın/yardımınız için, her şey için, bu, herkese, hepinize, olmuş, tekrar, size, sana, ekip
جدا, كثيرا, جزيلا, لك, لكم, للجميع, على المساعدة/مساعدتك, على كل شيء, هذا, فريق, يا
बहुत, आपका, आप सबका, सबको, मदद के लिए, जी, टीम, यह, भाई, दोस्त
本当に, とても, 皆さん, みなさん, わあ, おお, 大家, 你, 您, 真的, 嗯, 嗯嗯
정말, 너무, 매우, 진짜, 아주, 대단히, 도와주셔서, 도와줘서, 모두, 다들, 여러분`,
};

export const stop: Phrases = {
  heads: `
stop, cancel, abort, kill, undo, never mind, nevermind, nvm, halt, terminate, quit, forget it, forget about it, scratch that, call it off, dont do it/that/this, ignore, disregard, dont bother, wrong channel/thread/window, sent by mistake, do not do it/that/this
stopp, stoppe, stoppen, anhalten, abbrechen, abbruch, brich, breche ab, hör auf, aufhören, beende, beenden, storniere, stornieren, rückgängig, rückgängig machen, vergiss/lass es, schon gut, lass gut sein, doch nicht, hör bitte auf, falscher kanal
arrête, arrêter, arrêtez, annule, annuler, annulez, abandonne, abandonner, interromps, interrompre, stopper, laisse/laissez tomber, tant pis, oublie, mauvais canal
para, parar, detén, detener, detente, alto, cancela, cancelar, cancele, cancelad, aborta, abortar, deshacer, deshaz, anula, anular, olvídalo, olvida, déjalo, no importa, basta, pare, aborte, interromper, interrompa, desfazer, desfaz, desfaça, esquece, esqueça, deixa, deixa pra lá, chega, cancélalo, cancélala, detenlo, detenla, páralo, párala, anúlalo, canal equivocado/errado
ferma, fermati, fermare, annulla, annullare, annullalo, interrompi, interrompere, lascia perdere/stare, non importa, smetti, smettila
annuleer, annuleren, afbreken, breek af, ophouden, hou/houd op, laat maar, vergeet het, maak ongedaan, ongedaan maken
zatrzymaj, zatrzymać, przerwij, przerwać, anuluj, anulować, cofnij, cofnąć, wycofaj, nieważne, zapomnij, przestań
стоп, стой, остановись, останови, остановите, остановить, отмена, отмени, отмените, отменить, прекрати, прекратите, прекратить, хватит, забудь, не надо/нужно, неважно, прерви, прервать, отбой, забей, отменяй
зупинись, зупини, зупиніть, зупинити, скасуй, скасуйте, скасувати, припини, припиніть, припинити, досить, не треба, неважливо, відміни, відмінити, відміна
stoppa, stanna, avbryt, avbryta, ångra, sluta, glöm/glem det, strunt/strunta i det, stans, avbryte, angre, slutt, ikke gjør det, kanseller, afbryd, afbryde, annuller, annullere, fortryd, hold op, lad være, pyt
dur, durdur, durdurun, iptal, iptal edin, vazgeç, vazgeçtim, geri al, boşver, boş ver, bırak, iptal edebilir misin/misiniz, iptal eder misin, durdurur musun, durdurabilir misin
توقف, قف, أوقف, إيقاف, ألغ, ألغي, إلغاء, تراجع, كفى, لا يهم, انس الأمر, وقف
रुकिए, रुकें, रोक/रहने/छोड़/जाने दो, बंद/रद्द करें, रद्द, रद्द/बंद कर दो, रहने/रोक दीजिए, छोड़ो, स्टॉप, कैंसल, बंद/रद्द कर दीजिए
止めて, やめて, 止めてください, やめてください, 停止, 停止して, 停止してください, 中止, 中止して, 中止してください, 中断, 中断して, 中断してください, キャンセル, キャンセルして, キャンセルしてください, 取り消し, 取り消して, 取り消してください, ストップ, もういい, もういいです, やっぱりいいです, 元に戻して, 気にしないで, 最後のをキャンセル, 最後のをキャンセルして, 最後のジョブをキャンセルして, ジョブを停止, ジョブを停止して, ジョブを止めて, ジョブをキャンセル, ジョブをキャンセルして, それを止めて, 全部止めて, キャンセルで, キャンセルお願いします, キャンセルしたいです, やっぱりキャンセル, やっぱりキャンセルで, やっぱりやめます, やっぱりなしで, 取り消しお願いします, 中止お願いします, 停止お願いします, 最後のリクエストをキャンセル, 最後のリクエストをキャンセルして, 最後のリクエストをキャンセルしてください
停, 停下, 停下来, 停一下, 取消, 取消吧, 终止, 撤销, 撤回, 算了, 别做了, 不要了, 请停止, 请取消, 停止任务, 取消任务, 终止任务, 取消这个, 取消上一个, 取消最后一个, 取消上一个任务, 停止工作, 終止, 撤銷, 別做了, 請停止, 請取消, 停下來, 停止任務, 取消任務, 取消上一個, 取消最後一個, 停吧, 取消一下, 算了吧, 别弄了, 不用做了, 请停止任务, 请取消任务, 请停下来
멈춰, 멈춰줘, 멈춰 줘/주세요, 멈춰주세요, 그만, 그만해, 그만하세요, 중지, 중지해, 중지해줘, 중지해주세요, 중지해/중단해/취소해 주세요, 중단, 중단해, 중단해줘, 중단해주세요, 취소, 취소해, 취소해줘, 취소해 줘, 취소해주세요, 스톱, 정지, 됐어요, 됐습니다`,
  companions: `
it, this, that, these, the, job, jobs, request, task, run, process, agent, one, last, latest, previous, current, running, my, everything, all, all of it/this/that, working, working on it/this, work, doing that/this, about/found/got/solved it, i want/need to, i want you to, i would like to, id like to, how do/can i, do i, lets, we should, no, nein, non, não, nee, nie, нет, ні, nej, nei, hayır, لا, नहीं, いいえ, 아니요, mission, for now, i found it, found the answer, figured it out, all good
das, den, die, diesen, dieses, es, auftrag, anfrage, aufgabe, letzten, letzte, letztes, laufenden, alles, meinen, meine, ab, ich möchte/will/wollte, agenten, wie kann ich
ça, cela, le, la, les, ce, cette, tout, tâche, travail, demande, requête, dernier, dernière, en cours, ma, mon, je veux/voudrais, l'agent
eso, esto, lo, el, los, último, última, trabajo, tarea, solicitud, petición, todo, mi, quiero, ese, esa, este, esta, agente, isso, isto, o, a, trabalho, tarefa, pedido, tudo, meu, minha, quero, esse, essa
il, l'ultimo, l'ultima, lavoro, richiesta, questo, questa, quello, quella, tutto, mio, mia, voglio, l'agente
het, dit, dat, de, laatste, taak, opdracht, verzoek, mijn, ermee, deze, ik wil, lopende
to, ten, tę, zadanie, zlecenie, ostatnie, ostatni, ostatnią, prośbę, wszystko, moje, moją, pracę, o tym, chcę
это, эту, этот, задачу, задание, запрос, последнюю, последний, последнее, работу, всё, мою, мой, моё, об этом, я хочу, агента, це, цю, цей, завдання, запит, останнє, останній, останню, роботу, моє, мій, про це
det, det här/där, jobbet, uppgiften, senaste, sista, allt, mitt, min, detta, jag vill, dette, jobben, oppgaven, forespørselen, siste, alt, jeg vil, opgaven, anmodningen, seneste, sidste, mit
bunu, onu, şunu, işi, son, görevi, isteği, hepsini, her şeyi, şu, bu, artık
هذا, هذه, ذلك, المهمة, الطلب, العمل, الأخير, الأخيرة, كل شيء, أريد, الوظيفة
इसे, इसको, यह, उसे, काम, कार्य, अनुरोध, आखिरी, अंतिम, पिछला, सब, सब कुछ, मेरा, को
이거, 이것, 그거, 마지막, 작업, 작업을, 요청, 요청을, 전부, 모두, 다, 이, 그, 잠깐, 방금 거/것`,
};

export const help: Phrases = {
  heads: `
help, i need help, show help, commands, what can/do you do, what can you do for me, what can i do/ask, what can i do here, what can i ask you, who/what are you, how does this/it work, how do you work, how do i use this/you, how to use this, are you a bot, what is this, what is docs agent, what commands do you have, what commands are there, usage
hilfe, hilf mir, ich brauche hilfe, was kannst/machst/bist du, was kannst du alles/tun, was können sie, wer bist du, wie funktioniert/geht das, wie funktionierst du, befehle
aide, aide/aidez moi, à l'aide, j'ai besoin d'aide, que peux/sais tu faire, tu fais quoi, qu'est ce que tu peux/sais faire, que pouvez vous faire, qui es tu, qui êtes vous, comment ça marche/fonctionne
ayuda, ayúdame, necesito ayuda, qué puedes/sabes hacer, qué haces, quién eres, cómo funciona/funcionas, cómo funciona esto, comandos, ajuda, me ajude, preciso de ajuda, o que você pode fazer, o que você faz, o que podes fazer, quem é você, quem és tu, como isso/isto funciona
aiuto, aiutami, ho bisogno di aiuto, cosa puoi/sai fare, che cosa puoi/sai fare, chi sei, come funziona/funzioni, comandi
hulp, help mij, ik heb hulp nodig, wat kan/kun/doe je, wat kan/kun je doen, wie ben je, hoe werkt dit/het
pomoc, pomocy, pomóż, pomóż mi, co potrafisz/umiesz, co możesz zrobić, kim jesteś, jak to działa, jak działasz
помощь, помоги, помогите, помоги мне, справка, команды, что ты умеешь/можешь, что вы умеете, что умеешь, кто ты/вы, как это работает, как ты работаешь
допомога, допоможи, допоможіть, допоможи мені, довідка, команди, що ти вмієш/можеш, що ви вмієте, хто ти/ви, як це працює
hjälp, hjälp/hjælp mig, vad/hva/hvad kan du, vad kan du göra, vad gör du, vem är du, hur funkar det, hur fungerar det/detta, hur funkar/fungerar det här, hjelp, hjelp meg, hva kan du gjøre, hva gjør du, hvem er du, hvordan fungerer/virker dette/det, hjælp, hvad kan du gøre, hvad gør du
yardım, yardım edin, ne/neler yapabilirsin, ne yapıyorsun, sen kimsin, kimsin, nasıl çalışıyor/çalışıyorsun, bu nasıl çalışıyor, komutlar
مساعدة, المساعدة, ساعدني, ماذا يمكنك/تستطيع أن تفعل, ماذا تفعل, من أنت, كيف يعمل هذا, كيف يعمل/تعمل
मदद, मदद करें, सहायता, आप क्या कर सकते हैं, तुम क्या कर सकते हो, आप कौन हैं, तुम कौन हो, यह कैसे काम करता है
ヘルプ, 助けて, 使い方, 使い方は, 使い方を教えて, 使い方を教えてください, 何ができる, 何ができるの, 何ができますか, なにができますか, あなたは誰, あなたは誰ですか, 誰ですか, どうやって使うの, どうやって使いますか
帮助, 帮帮我, 帮我, 你能做什么, 你会做什么, 你可以做什么, 你会什么, 你能干什么, 你能帮我什么, 你是谁, 怎么用, 怎么使用, 这个怎么用, 如何使用, 幫助, 幫幫我, 你能做什麼, 你會做什麼, 你可以做什麼, 你是誰, 怎麼用, 怎麼使用
도움말, 도움, 도와줘, 도와주세요, 뭘/뭐/무엇을 할 수 있어, 뭘/무엇을 할 수 있나요, 누구세요, 누구야, 너는 누구야, 어떻게 사용해/사용하나요/쓰나요, 사용법`,
};

export const list: Phrases = {
  heads: `
list, jobs, my/show/open jobs, all/show my jobs, my requests, show my requests, whats running, what is running, list all jobs, what are my jobs
liste, aufträge, meine jobs/aufträge/anfragen, zeig/zeige meine jobs/aufträge, was läuft
mes jobs/tâches/demandes/travaux, lista, mis trabajos/tareas/solicitudes/peticiones, meus trabalhos/pedidos, minhas tarefas, elenco, i miei lavori, miei lavori, le mie richieste
lijst, mijn jobs/taken/opdrachten, moje zadania/zlecenia/prośby, список, мои задачи/задания/запросы, покажи мои задачи, мої завдання/задачі/запити
mina jobb/uppgifter, mine jobber/oppgaver/jobs/opgaver, işlerim, görevlerim, isteklerim, قائمة, مهامي, طلباتي, सूची, मेरे काम/कार्य/अनुरोध
リスト, 一覧, ジョブ一覧, 自分のジョブ, 私のジョブ, 列表, 我的任务, 任务列表, 我的请求, 我的任務, 任務列表, 목록, 내 작업/요청, 작업 목록`,
};

export const details: Phrases = { heads: 'details, show details, show me the details' };

export const status: Phrases = {
  heads: `
status, status update, current/show status, whats the/my status, what is the status
stand, wie/was ist der stand, wie ist der status, aktueller stand, statut, quel est le statut, estado, cuál es el estado, qual é o status, qual o status, stato, qual è lo stato, wat is de status, jaki jest status, статус, какой/який статус
vad är statusen, hva er statusen, hvad er status, durum, durum ne, الحالة, ما هي الحالة, स्थिति, क्या स्थिति है, स्टेटस, ステータス, ステータスは, 状況, 状況は, 状态, 当前状态, 状态如何, 狀態, 상태, 현재 상태, 상태는`,
  companions:
    'of, on, it, this, that, my, the, job, request, pr, pull request, der, meinem, auftrag, meines auftrags, von meinem job',
};

export const progress: Phrases = {
  heads: `
is it done/ready/finished/merged, is this/that done, is this ready, are you done/ready/finished/working/there/stuck, are you still working/there, still working/there, done/ready/finished yet, any news/update/updates/progress/luck, how far are you, how far along are you, how far is it, how far along is it, hows it going/looking, how is it going/doing, hows it coming along, how is it coming along, how long, how long does it take, how long will it/this/that take, how much longer, when will it/this/you be done, when will it/this be ready, when is it done/ready, eta, whats the eta, what is the eta, whats happening, what is happening, what are you doing, where are we, where are we at, did it work, did you finish, have you finished, has it finished, where is the/my pr, wheres the/my pr, where is the pull request, is the pr ready, is the pull request ready, is there a pr, are we there yet, whats going on, what is going on, how is my job/request doing, hows my job doing, where does it stand, where do we stand, when can i expect it, did you open the/a pr, have you opened the/a pr, did the pr get created, was the pr created
ist es/das fertig, bist du fertig/soweit, schon fertig, gibt es neuigkeiten, gibt's neuigkeiten, gibt es etwas/was neues, gibt's was neues, was/irgendwas neues, wie weit bist du, wie weit ist es, wie weit sind wir, wie lange noch, wie lange dauert es/das, wann ist es/das fertig, wann bist du fertig, wie läuft's, wie läuft es, noch dran, gibt es schon was/etwas neues, gibt es schon neuigkeiten, gibt es ein update, gibt's ein update, wie ist der stand der dinge, wo ist/bleibt der pr, läuft das/es noch, dauert das/es noch lange, wie sieht's aus
est ce que c'est fait/prêt/fini, est ce prêt/fini, des nouvelles, du nouveau, quoi de neuf, où en es tu, où en est on, où ça en est, ça avance, combien de temps, combien de temps ça prend, c'est pour quand, c'est prêt/fini, as tu fini, tu as fini, avez vous fini, où est la pr, ça avance bien, quand est ce que ce sera prêt, quand est ce que c'est prêt, ce sera prêt quand, quand sera ce prêt
está listo/hecho/terminado/pronto/feito, ya/já está, alguna novedad/noticia, hay novedades/noticias, novedades, cómo va/vas, cuánto falta/tarda/tardará, cuánto tiempo falta, cuándo estará listo, cuándo termina/estará, terminaste, has terminado, alguma novidade, tem novidades/previsão, novidades, como está indo, quanto falta/tempo, quanto tempo falta, quando fica/estará pronto, terminou, acabou, cuándo va a estar, dónde está el pr, falta mucho, vai demorar, demora muito, cadê o pr
è pronto/fatto, è/hai finito, a che punto sei/siamo, ci sono novità, novità, quanto manca, quanto ci vuole, quanto tempo ci vuole, quando è/sarà pronto, come procede
is het klaar, is het al klaar, ben je klaar, ben je al klaar, al klaar, nog nieuws, is er nieuws, is er al nieuws, hoe ver ben je, hoe ver is het, hoe lang nog, hoe lang duurt het, wanneer is het klaar, lukt het
czy to/jest/już gotowe, już gotowe, gotowe już, czy skończyłeś, skończyłeś, są jakieś wieści, jakieś wieści/nowości, co nowego, jak idzie, jak daleko jesteś, ile jeszcze, jak długo jeszcze, kiedy będzie gotowe, kiedy skończysz
готово ли, уже готово/всё, ещё не готово, ты закончил, закончил, есть/какие новости, новости есть, что нового, как продвигается/успехи, как идут дела, сколько ещё/осталось, сколько ещё ждать, когда/скоро будет готово, долго ещё, есть прогресс, где pr, где пулл реквест
чи/вже готово, ще не готово, ти закінчив, закінчив, є/які новини, що нового, як просувається/успіхи, скільки ще/залишилось, коли буде готово, довго ще, є прогрес
är det klart, är du klar, klart/klar än, några/noen nyheter, något/nåt/noe nytt, hur långt har du kommit, hur/hvordan går det, hur länge till, hur lång tid tar det, när är/blir det klart, er det/du ferdig, hvor langt har du kommet, hvor lenge/længe, hvor lang tid tar/tager det, når er/blir det ferdig, er det færdigt, er den/du færdig, noget nyt, nogen nyheder, hvor langt er du, hvornår er det færdigt, hvornår er du færdig
bitti/bitirdin/bitmedi mi, hazır mı, oldu mu, yeni bir şey var mı, haber/gelişme var mı, ne kadar sürer/kaldı/sürecek, ne zaman biter, ne zaman hazır olur, nasıl gidiyor, ne durumda/aşamada/oldu, ne oldu acaba, daha bitmedi mi, pr nerede
هل انتهى/انتهيت/تم, هل هو جاهز, هل هناك أخبار, هل من جديد, ما الجديد/الأخبار, كم تبقى/باقي/بقي, كم من الوقت, متى ينتهي, متى سيكون جاهزا, إلى أين وصلت, هل تم الانتهاء, هل انتهى العمل, وين وصلت
हो गया क्या, क्या हो गया, क्या यह हो गया, तैयार है क्या, क्या तैयार है, कोई खबर/अपडेट, कितना समय लगेगा, कितनी देर, कब तक/तैयार होगा, कब तक/होगा, कब तक हो जाएगा, काम हो गया क्या, काम हुआ क्या
終わりましたか, もう終わりましたか, もう終わった, できましたか, もうできた, 完了しましたか, まだですか, 進捗, 進捗は, 進捗どうですか, 進捗はどうですか, 進捗状況は, 進捗を教えて, どうなりましたか, どうなってる, どうなっていますか, いつ終わりますか, いつできますか, あとどれくらい, あとどのくらい, どのくらいかかりますか, どれくらいかかりますか, もうできましたか, PRできましたか, PRはできましたか, PRはまだですか, どんな感じですか, 状況はどうですか, どうですか, 完成しましたか
好了吗, 完成了吗, 做完了吗, 做好了吗, 搞定了吗, 弄好了吗, 有进展吗, 进展如何, 进度, 进度如何, 进度怎么样, 进展怎么样, 怎么样了, 有消息吗, 还要多久, 要多久, 需要多久, 什么时候好, 什么时候完成, 什么时候能好, 到哪了, 到哪一步了, 还没好吗, 好了嗎, 完成了嗎, 做完了嗎, 有進展嗎, 進度, 進度如何, 還要多久, 什麼時候好, 进度怎么样了, 做完了没, 做好了没, 好了没, 完成了没, 还没好, 做得怎么样了
다 됐어/됐나요/되었나요/됐어요, 끝났어, 끝났나요, 끝났습니까, 완료됐나요, 완료되었나요, 진행 상황/상황은, 진행상황, 진행 상황이 어떤가요, 어떻게 돼가, 어떻게 되어 가나요, 어떻게 되고 있나요, 얼마나 걸려/걸리나요/남았어/남았나요, 언제 끝나/끝나나요/끝나요/되나요/돼요, 소식 있나요, 아직인가요, 아직 멀었나요, 어디까지 됐나요`,
  companions: `
it, this, that, on/with/for it/this, on/with that, on my/the job/request/pr, my/the job/request/pr, yet, already, so far, still, from you, here, today, there, is, isnt, the/my pull request
es, das, schon, noch, damit, dazu, denn, eigentlich, mit dem/meinem job, job, déjà, encore, alors, bientôt, ça, eso, esto, todavía, aún, ainda, isso, già, ancora, al, ermee, już, z tym, уже, это, с этим, вже, це, det, än, ennå, ferdig, şu, artık, ist, bist du, bald, der job/auftrag/pr, mein job/auftrag, c'est, está`,
  asked: `
done, ready, finished, merged, complete, completed, published, news, update, updates, progress, running, well, up, open, going, stuck
fertig, erledigt, neuigkeiten, gemerged, fait, prêt, fini, terminé, c'est bon, listo, hecho, terminado, pronto, feito, fatto, finito, klaar, nieuws, gedaan, gotowe, zrobione, готово, сделано, новости, скоро, ну как/что, зроблено, новини
klart, klar, färdig, färdigt, ferdig, færdig, færdigt, bitti, hazır, جاهز, انتهى, तैयार, हो गया, 終わった, できた, まだ, 好了, 完成, 怎么样`,
};

/** Turn a question into a request. `*`: any ending. */
export const changes = `
add adds added adding append* attach* updat* edit edits edited editing change changes changed changing modif* adjust* adapt* amend* fix fixes fixed fixing correct* repair* resolv* write writes wrote writing rewrit* rework* rephras* reword* document documents documented documenting redocument* explain* clarif* describ* elaborat* outlin* summar* remov* delet* drop drops strip* hide trim* cut renam* retitl* move* moving reorgani* reorder* restructur* rearrang* split* merge merging combin* translat* locali* create* creating make makes making build draft* generat* produc* prepar* put mention* cover covers covering list lists note link links linked linking replac* swap* substitut* convert* turn format* reformat* shorten* simplif* condens* expand* extend* improv* enhanc* polish* refin* refresh* moderni* tidy clean* proofread* review* check verify ensure revert* restore undo publish deprecat* highlight* illustrat* show typo* misspel* missing broken outdated bump* sync* align* unif* standardi* introduc* provid* give specif* define* redirect* annotat* caption* embed* migrat* tag set mark
hinzufüg* füg* ergänz* aktualisier* änder* geändert korrigier* behebe* behoben schreib* umschreib* dokumentier* erklär* beschreib* erläuter* entfern* lösch* umbenenn* benenn* verschieb* übersetz* erstell* mach* ersetz* erweiter* verbesser* kürz* überarbeit* einfüg* einbau* erwähn* verlink* prüf* anpass* pass passe vereinfach* aufnehm* tippfehler* fehlt fehlen zusammenfass* anleg* streich* präzisier*
documenter documente documentez ajout* rajout* mets mettre mettez actualis* corrig* écri* rédig* réécri* expliqu* décri* détaill* supprim* enlev* retir* renomm* déplac* tradui* crée* fais faire faites remplac* améliore* raccourc* précise* inclu* insér* vérifi* faute* manqu*
documentar agreg* añad* cambi* corrij* correg* arregl* escrib* redact* reescrib* explic* elimin* borr* quita* renombr* mueve* traduc* crea crear haz hacer hagas reemplaz* sustitu* ampli* mejor* acort* aclar* revis* falta* errata* pon poner pongas
adicion* acrescent* atualiz* mudar mude alter* consert* escrev* reescrev* redij* descrev* apag* renome* traduz* cria criar crie faz fazer faça melhor* encurt* esclare* coloc*
aggiung* aggiorn* sistem* scriv* riscriv* spieg* rimuov* togli* rinomin* spost* creare crei fai fare miglior* accorci* chiar* menzion* manca mancano refuso semplific* metti mettere documenta documentare documentate documenti
toevoeg* voeg* bijwerk* wijzig* aanpass* verander* herstel* schrijf* schrijv* herschrij* documenteer documenteren uitleg* leg beschrij* verwijder* hernoem* verplaats* vertaal* vertal* maak maken vervang* uitbreid* verbeter* inkort* verduidelijk* vermeld* controleer* ontbreek* typfout* zet plaats
doda* zaktualiz* aktualiz* zmien* zmian* popraw* napraw* napis* pisać dokumentu* udokument* wyjaśni* opis* usuń* usuw* przenie* przetłumacz* tłumacz* utwórz* stwórz* zrób* zastąp* rozszerz* skróc* wspomn* uwzględn* sprawdz* brak* literówk* uprośc*
добав* обнов* измен* исправ* поправ* напис* напиш* перепис* перепиш* документир* задокумент* объясн* опис* опиш* удал* убер* убра* перемест* перенес* перевед* перевест* созда* сдела* замен* расшир* улучш* сократ* уточн* упомян* включ* провер* опечатк* упрост* поясн* дополн* вставь* вставит*
дода* онов* змін* виправ* документув* видал* прибер* перейм* перемі* переклад* переклас* створ* зроб* замін* розшир* покращ* скорот* згада* перевір* спрост* доповн*
lägg* uppdater* ändra* rätta* fixa* skriv* dokumenter* förklar* beskriv* tydligg* radera* döp* översätt* skapa* gör göra ersätt* byt byta utök* förbättr* korta* nämn* saknas stavfel* förenkl* bort
legg* oppdater* endre* rett rette fiks* fjern* slett* flytt* oversett* lag lage gjør gjøre utvid* forbedr* nevn* sjekk* mangler
tilføj* opdater* ændr* ret slet omdøb* flyt oversæt* lav lave opret* gøre erstat* udvid* forkort* nævn* tjek* stavefejl*
ekle* güncelle* değiştir* düzelt* düzenle* yaz yazar yazabilir* belgele* açıkla* anlat* tanımla* kaldır* sil silebilir* adlandır* taşı* çevir* oluştur* yap yapar genişlet* iyileştir* kısalt* bahset* eksik* basitleştir*`;

/** For scripts that join words or prefix particles: at any position. */
export const changesWithin = `

أضف, ضيف, إضافة, حدث, تحديث, عدل, تعديل, تغيير, صحح, تصحيح, أصلح, إصلاح, اكتب, كتابة, تكتب, وثق, توثيق, شرح, وصف, حذف, أزل, إزالة, تسمية, نقل, ترجم, أنشئ, إنشاء, استبدل, تحسين, اختصر, وضح, توضيح
जोड़, अपडेट/ठीक कर, बदल, सुधार, लिख, समझा, वर्णन, हटा, मिटा, अनुवाद, बना, शामिल, स्पष्ट, विस्तार
追加, 更新, 修正, 直し, 直す, 変更, 書い, 書き, 書く, 記載, 記述, 文書化, ドキュメント化, 説明, 解説, 削除, 消し, リネーム, 移動, 翻訳, 作成, 作っ, 作り, 置き換え, 拡充, 改善, 短く, 明確, 追記, 反映, 訳し, まとめ, 入れて, 載せ
添加, 增加, 加上, 加一, 加个, 新增, 修改, 修复, 改成, 改一, 改为, 写, 记录, 文档化, 说明, 解释, 描述, 删除, 删掉, 去掉, 移除, 重命名, 移动, 翻译, 创建, 替换, 扩展, 完善, 优化, 缩短, 补充, 校对, 检查, 修復, 寫, 說明, 解釋, 刪除, 翻譯, 建立, 補充, 檢查
추가, 업데이트해, 수정, 변경, 고쳐, 고치, 작성, 써줘, 써 줘, 문서화, 설명, 삭제, 제거, 지워, 옮겨, 옮기, 이동, 번역, 만들, 생성, 교체, 바꿔, 바꾸, 확장, 개선, 줄여, 명확, 정리, 반영, 넣어`;
