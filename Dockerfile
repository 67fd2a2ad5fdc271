# Bases are pinned by digest; Dependabot proposes newer ones (.github/dependabot.yml).
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY demo/package.json ./demo/
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
RUN npm run build

FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY demo/package.json ./demo/
# Without the optional packages: a Node for machines with another one.
RUN npm ci --omit=dev --omit=optional
# In a folder of its own, so that COPY keeps its mode.
RUN install -d -m 700 /writable/data

# Node and what it needs, and nothing else: no shell, no package manager.
FROM gcr.io/distroless/nodejs24-debian13:nonroot@sha256:9eeb7f5887d0e239e78264b06f7f11d2e14be534050481803a9e4728fcdd278e
WORKDIR /app
# With many calls a second, Node's space for young objects would grow to 128 MiB, and each of its threads would keep freed
# memory for itself (docs/performance.md).
ENV NODE_ENV=production DATA_DIR=/data NODE_OPTIONS=--max-semi-space-size=8 MALLOC_ARENA_MAX=1
# The packages are part of dist; here they are for their licences, and for those who look for known weaknesses.
COPY --from=packages /app/package.json ./
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY LICENSE ./
COPY --from=packages --chown=nonroot:nonroot /writable/ /
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["/nodejs/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.HEALTH_PORT || process.env.PORT || 3000}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# As the first process node gets the signals itself; it starts no others that would have to be waited for.
# Without a debugger, which a signal would open to everybody in the container.
ENTRYPOINT ["/nodejs/bin/node", "--disable-sigusr1", "dist/cli.js"]
CMD ["start"]
