FROM node:22-bookworm-slim AS build
WORKDIR /engraph
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:22-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /engraph
COPY package.json package-lock.json .npmrc ./
# The database is another container's, so the embedded PostgreSQL stays out.
RUN npm ci --omit=dev --omit=optional
COPY --from=build /engraph/dist dist
COPY scripts scripts
COPY prisma prisma
COPY examples examples
USER node
EXPOSE 4000
HEALTHCHECK CMD node -e "fetch('http://127.0.0.1:'+(process.env.PORT||4000)+'/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"
CMD ["node", "scripts/run.mjs", "main"]
