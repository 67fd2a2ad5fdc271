import type { Job } from '#jobs/job.ts';
import { pullRequestName } from '#jobs/pull-requests/link.ts';
import { judgePrompt } from '#jobs/requests/command.ts';
import { formPressed, formSubmitted, refuseText } from '#slack/inbound/forms/job-forms.ts';
import { inTime, promptMaxOf, Refused, tooLate } from '#slack/inbound/interaction.ts';
import type { FeatureListeners, ListenerDeps } from '#slack/inbound/listener.ts';
import { type DecisionForm, viewIds } from '#slack/protocol/ids.ts';
import { escapeMrkdwn, sanitize } from '#slack/protocol/slack-text.ts';
import { buttons } from '#slack/views/buttons.ts';
import { followUpForm } from '#slack/views/compose.ts';
import { plainModal } from '#slack/views/form.ts';
import { refusalView } from '#slack/views/private-answers.ts';
import type { CodeHosts } from './code-hosts.ts';
import type { ReviewComment } from './dialect.ts';
import { openNews } from './review-news.ts';
import {
  fixPrompt,
  noCommentsView,
  nothingTickedView,
  readingReviewView,
  reviewChangedView,
  reviewForm,
  reviewNotReadView,
  reviewPrompt,
  tooManyCommentsView,
} from './views.ts';

type OpenNews = NonNullable<ReturnType<typeof openNews>>;

export function reviewListeners(codeHosts: CodeHosts): FeatureListeners {
  const opened = async (deps: ListenerDeps, job: Job, data: DecisionForm) => {
    const open = openNews(job, data.news ?? '');
    if (open === null) throw new Refused(await tooLate(deps, job, answeredBy(data)));
    return open;
  };
  return {
    presses: {
      askForFix: formPressed(async (deps, job, data) => {
        const { news } = await opened(deps, job, data);
        const asks = followUpForm(data, promptMaxOf(deps), fixPrompt(news.names));
        return { ...asks, callback_id: viewIds.fix };
      }),

      sendReview: formPressed(async (deps, job, data) => {
        const open = await opened(deps, job, data);
        const { label } = buttons.sendReview;
        return {
          first: plainModal(label, readingReviewView),
          viewOf: async () => {
            const review = unsentIn(deps, open, await codeHosts.reviewComments(open.url, open.news.key));
            if (review.comments.length > 0) return reviewForm(data, open.news, review);
            throw new Refused(review.isComplete ? noCommentsView(open.news) : tooManyCommentsView);
          },
          problemOf: (error) =>
            plainModal(label, error instanceof Refused ? error.answer : reviewNotReadView),
        };
      }),
    },

    submissions: {
      fix: formSubmitted(buttons.askForFix.id, async (deps, data, _job, { values: { text } }) => {
        refuseText(deps, text);
        return { ...answeredBy(data, text), hasMore: true };
      }),

      review: formSubmitted(buttons.sendReview.id, async (deps, data, job, { values: { ticked } }) => {
        const open = openNews(job, data.news ?? '');
        if (open === null) return answeredBy(data);
        if (ticked.length === 0) throw new Refused(nothingTickedView);
        const asked = codeHosts.reviewComments(open.url, open.news.key);
        const { comments, isComplete } = unsentIn(deps, open, await inTime(deps, 'thread', asked, null));
        if (comments.length === 0 && isComplete) throw new Refused(noCommentsView(open.news));
        const chosen = comments.filter(({ id }) => ticked.includes(id));
        if (chosen.length < ticked.length) throw new Refused(reviewChangedView);
        const text = textOf(deps, open, chosen);
        const hasMore = chosen.length < comments.length || !isComplete;
        return { ...answeredBy(data, text), sent: ticked, hasMore };
      }),
    },
  };
}

function answeredBy({ userId, news = '' }: DecisionForm, text = '') {
  return { type: 'news_answered', userId, news, text } as const;
}

/** Without what was sent. Throws Refused if the host failed or was late. */
function unsentIn(
  { log }: ListenerDeps,
  { sent }: OpenNews,
  review: Awaited<ReturnType<CodeHosts['reviewComments']>> | null,
) {
  if (review !== null && 'comments' in review) {
    return { ...review, comments: review.comments.filter(({ id }) => !sent.includes(id)) };
  }
  log.warn('review_not_read', { outcome: review?.outcome ?? 'late' });
  throw new Refused(reviewNotReadView);
}

/** As Slack would deliver it. */
function textOf(deps: ListenerDeps, { news, url }: OpenNews, comments: readonly ReviewComment[]) {
  const { sites } = deps.newContext().policy.pullRequests;
  const text = reviewPrompt(news, pullRequestName(url, sites) ?? url, comments);
  const verdict = judgePrompt(text, promptMaxOf(deps));
  if (verdict.kind === 'too_long') {
    throw new Refused(refusalView({ ...verdict, kind: 'too_long_together', mayUntick: comments.length > 1 }));
  }
  return escapeMrkdwn(sanitize(text));
}
