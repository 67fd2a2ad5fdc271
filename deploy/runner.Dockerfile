# The runner with git and an agent: docker build -f deploy/runner.Dockerfile -t docs-agent-runner .
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY demo/package.json ./demo/
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
RUN npm run build

FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
# Yours: the agent, in a version that you have tried.
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates openssh-client \
  && rm -rf /var/lib/apt/lists/* && npm install --global opencode-ai@1.18.33
WORKDIR /app
COPY --from=build /app/dist ./dist
COPY LICENSE ./
# The user of the other image, so that both can read the secrets that they share.
RUN install -d -m 700 -o 65532 -g 65532 /data
ENV NODE_ENV=production HOME=/data/home RUNNER_DATA_DIR=/data/runner RUNNER_HOST=0.0.0.0
USER 65532:65532
VOLUME /data
EXPOSE 4000
# Start it with docker run --init (compose: init: true), which collects the children that agents leave behind.
ENTRYPOINT ["node", "--disable-sigusr1", "dist/cli.js", "runner"]
