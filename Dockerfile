# Serves a pipeline by HTTP:
#   docker build --tag ucca --build-arg MODEL=models/en_ucca_sm .
#   docker run --rm --read-only --tmpfs /tmp --publish 5050:5050 ucca --processes 2
ARG PYTHON=3.12
FROM python:${PYTHON} AS build
# A directory or a wheel of a pipeline, in this folder
ARG MODEL=models/en_ucca_sm
ARG EXTRAS=serve,languages
WORKDIR /src
COPY . .
RUN python3 -m venv /opt/ucca && /opt/ucca/bin/pip install --no-cache-dir ".[${EXTRAS}]"
# A wheel has its own name for the pipeline: both are in one place after this.
RUN if [ -d "${MODEL}" ]; then cp -R "${MODEL}" /opt/ucca/model; else \
    /opt/ucca/bin/pip install --no-cache-dir "./${MODEL}" && \
    name="$(basename "${MODEL}")" && /opt/ucca/bin/python -c \
    "import spacy, sys; spacy.load(sys.argv[1]).to_disk('/opt/ucca/model')" "${name%%-*}"; fi

FROM python:${PYTHON}-slim
COPY --from=build /opt/ucca /opt/ucca
ENV PATH=/opt/ucca/bin:$PATH HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PYTHONUTF8=1
USER 10001:10001
EXPOSE 5050
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "from http.client import HTTPConnection as C; c = C('127.0.0.1', 5050, timeout=4); c.request('GET', '/health'); exit(c.getresponse().status != 200)"]
ENTRYPOINT ["spacy-ucca", "serve", "/opt/ucca/model", "--host", "0.0.0.0", "--no-open"]
