import { pullRequestName } from '#jobs/pull-requests/link.ts';
import { judgePrompt } from '#jobs/requests/command.ts';
import { formPressed, formSubmitted, refuseText } from '#slack/inbound/forms/job-forms.ts';
import { inTime, promptMaxOf, Refused, tooLate } from '#slack/inbound/interaction.ts';
import type { FeatureListeners, ListenerDeps } from '#slack/inbound/listener.ts';
import { type DecisionForm, viewIds } from '#slack/protocol/ids.ts';
import { escapeMrkdwn, sanitize } from '#slack/protocol/slack-text.ts';
import { buttons } from '#slack/views/buttons.ts';
import { followUpForm } from '#slack/views/compose.ts';
import { refusalView } from '#slack/views/private-answers.ts';
import type { CodeHosts } from './code-hosts.ts';
import { openNews } from './review-news.ts';
import {
  fixPrompt,
  noCommentsView,
  nothingTickedView,
  reviewChangedView,
  reviewForm,
  reviewNotReadView,
  reviewPrompt,
} from './views.ts';

type OpenNews = NonNullable<ReturnType<typeof openNews>>;

export function reviewListeners(codeHosts: CodeHosts): FeatureListeners {
  const pressed = formPressed(async (deps, job, data) => {
    const open = openNews(job, data.news ?? '');
    if (open === null) throw new Refused(await tooLate(deps, job, answeredBy(data)));
    const { news } = open;
    if (news.kind === 'checks') {
      const asks = followUpForm(data, promptMaxOf(deps), fixPrompt(news.names));
      return { ...asks, callback_id: viewIds.review };
    }
    const review = await readReview(deps, codeHosts, open);
    if (review.comments.length === 0) throw new Refused(noCommentsView(news));
    return reviewForm(data, news, review);
  });
  return {
    presses: { askForFix: pressed, sendReview: pressed },
    submissions: {
      review: formSubmitted(buttons.sendReview.id, async (deps, data, job, { values }) => {
        const { text, ticked } = values;
        const open = openNews(job, data.news ?? '');
        if (open === null) return answeredBy(data);
        if (open.news.kind === 'review')
          return answeredBy(data, await readTicked(deps, codeHosts, open, ticked));
        refuseText(deps, text);
        return answeredBy(data, text);
      }),
    },
  };
}

function answeredBy({ userId, news = '' }: DecisionForm, text = '') {
  return { type: 'news_answered', userId, news, text } as const;
}

/** As Slack would deliver it. */
async function readTicked(
  deps: ListenerDeps,
  codeHosts: CodeHosts,
  open: OpenNews,
  ticked: readonly string[],
) {
  if (ticked.length === 0) throw new Refused(nothingTickedView);
  const { comments } = await readReview(deps, codeHosts, open);
  const chosen = comments.filter(({ id }) => ticked.includes(id));
  if (chosen.length < ticked.length) throw new Refused(reviewChangedView);
  const { sites } = deps.newContext().policy.pullRequests;
  const text = reviewPrompt(open.news, pullRequestName(open.url, sites) ?? open.url, chosen);
  const verdict = judgePrompt(text, promptMaxOf(deps));
  if (verdict.kind !== 'ok') throw new Refused(refusalView(verdict));
  return escapeMrkdwn(sanitize(text));
}

async function readReview(deps: ListenerDeps, codeHosts: CodeHosts, { url, news }: OpenNews) {
  const review = await inTime(deps, 'thread', codeHosts.reviewComments(url, news.key), null);
  if (review !== null && 'comments' in review) return review;
  deps.log.warn('review_not_read', { outcome: review?.outcome ?? 'late' });
  throw new Refused(reviewNotReadView);
}
