# `npm run image` builds this. The release pins both base images by digest; they are arguments so that a mirror can be named.
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=gcr.io/distroless/nodejs24-debian12:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
# The packages change less often than the sources.
COPY package.json package-lock.json .npmrc ./
COPY .ci/prepare .ci/prepare
RUN npm ci
COPY . .
RUN npm run build
# Every time in the image is this one: the same commit gives the same layers.
ARG SOURCE_DATE_EPOCH=0
RUN .ci/image-root /image

FROM ${BASE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Meridian" \
      org.opencontainers.image.description="A multi-cluster federation controller for Kubernetes" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /image/ /
USER 65532:65532
WORKDIR /app
EXPOSE 8383 9443
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=8", "/app/meridian.js"]
CMD ["manager"]
