import type { Job } from '#jobs/job.ts';
import { parsePullRequestLink } from '#jobs/pull-requests/link.ts';
import { reviewNewsIn } from '#jobs/pull-requests/pull-request.ts';
import { lastPullRequestOf } from '#jobs/pull-requests/standing.ts';
import { judgePrompt } from '#jobs/requests/command.ts';
import { formPressed, formSubmitted } from '#slack/inbound/forms/job-forms.ts';
import { inTime, promptMaxOf, Refused, tooLate } from '#slack/inbound/interaction.ts';
import type { FeatureListeners, ListenerDeps } from '#slack/inbound/listener.ts';
import { escapeMrkdwn, sanitize } from '#slack/protocol/slack-text.ts';
import { buttons } from '#slack/views/buttons.ts';
import { followUpForm } from '#slack/views/compose.ts';
import { refusalView } from '#slack/views/private-answers.ts';
import type { CodeHosts } from './code-hosts.ts';
import { currentNews } from './review-news.ts';
import {
  fixPrompt,
  noCommentsView,
  nothingTickedView,
  reviewChangedView,
  reviewForm,
  reviewNotReadView,
  reviewPrompt,
} from './views.ts';

export function reviewListeners(codeHosts: CodeHosts): FeatureListeners {
  return {
    presses: {
      askForFix: formPressed(async (deps, job, data) => {
        const newsKey = data.news ?? failingKey(job);
        const found = currentNews(job, 'checks', newsKey);
        if (found === null && data.news !== undefined) {
          const late = { type: 'follow_up_written', userId: data.userId, text: '', news: newsKey } as const;
          throw new Refused(await tooLate(deps, job, late));
        }
        // The card may be older than the names of checks.
        const prompt = found === null ? '' : fixPrompt(found.news.checks);
        return followUpForm({ ...data, news: newsKey }, promptMaxOf(deps), prompt);
      }),

      sendReview: formPressed(async (deps, job, data) => {
        const { news = '', userId } = data;
        const found = openReview(job, news);
        if (found === null) throw new Refused(await tooLate(deps, job, sent(userId, news)));
        const review = await readReview(deps, codeHosts, found.pullRequest.url, news);
        if (review.comments.length === 0) throw new Refused(noCommentsView(found.news.by));
        return reviewForm(data, found.news.by, review);
      }),
    },
    submissions: {
      review: formSubmitted(buttons.sendReview.id, async (deps, data, job, { values: { ticked } }) => {
        const { news = '', userId } = data;
        const found = openReview(job, news);
        if (found === null) return sent(userId, news);
        if (ticked.length === 0) throw new Refused(nothingTickedView);
        const { url } = found.pullRequest;
        const { comments } = await readReview(deps, codeHosts, url, news);
        const chosen = comments.filter(({ id }) => ticked.includes(id));
        if (chosen.length < ticked.length) throw new Refused(reviewChangedView);
        const { sites } = deps.newContext().policy.pullRequests;
        const name = parsePullRequestLink(url, sites)?.name ?? url;
        const text = reviewPrompt(found.news.by, name, chosen);
        const verdict = judgePrompt(text, promptMaxOf(deps));
        if (verdict.kind !== 'ok') throw new Refused(refusalView(verdict));
        return { ...sent(userId, news), text: escapeMrkdwn(sanitize(text)) };
      }),
    },
  };
}

function sent(userId: string, news: string) {
  return { type: 'review_sent', userId, text: '', news } as const;
}

function failingKey(job: Job) {
  const news = reviewNewsIn(lastPullRequestOf(job)?.facts ?? {});
  return news.find(({ kind }) => kind === 'checks')?.key ?? '';
}

function openReview(job: Job, newsKey: string) {
  const found = currentNews(job, 'review', newsKey);
  return found?.pullRequest.sent?.includes(newsKey) ? null : found;
}

async function readReview(deps: ListenerDeps, codeHosts: CodeHosts, url: string, newsKey: string) {
  const read = codeHosts.reviewComments(url, newsKey.replace(/^review:/, ''));
  const review = await inTime(deps, 'thread', read, null);
  if (review !== null && 'comments' in review) return review;
  deps.log.warn('review_not_read', { outcome: review?.outcome ?? 'late' });
  throw new Refused(reviewNotReadView);
}
