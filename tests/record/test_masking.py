"""No secret is left in a text, whatever stands around it, and nothing else is touched."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liverl.record.masking import HIDDEN, mask, mask_words

ALPHANUMERIC = string.ascii_letters + string.digits
BODY = st.text(ALPHANUMERIC, min_size=24, max_size=60).map(lambda text: f"q7{text}")
# What a password may hold and still stand in a text without quotes.
PASSWORD = st.text(f"{ALPHANUMERIC}!#$%*+./:?@^_~,;-", min_size=6, max_size=40).map(
    lambda text: f"q7{text}q7"
)
SHAPES = ("sk-{}", "sk-proj-{}", "sk-ant-api03-{}", "hf_{}", "ghp_{}", "gho_{}", "github_pat_{}", "glpat-{}",
          "xoxb-{}", "gsk_{}", "AIza{}", "Bearer {}", "bearer {}", "b'Bearer {}'")  # fmt: skip
GIVEN = ("token={}", "token: {}", "password={}", "password: {}", "passwd={}", "access_token: {}", "access_token={}",
         "refresh-token: {}", "x-api-key: {}", "X-Api-Key: {}", "api_key={}", "apiKey: {}", "--api-key {}",
         "--api-key={}", "--token {}", "--hf-token {}", "--password {}", "client_secret={}", "AWS_SECRET_ACCESS_KEY={}",
         "WANDB_API_KEY={}", "HF_TOKEN={}", "PGPASSWORD={}", "LIVERL_DOOR_KEY={}", "Authorization: Basic {}",
         "authorization: {}", "Authorization: Bearer {}", "Proxy-Authorization: Basic {}", "mysql -u me -p{}",
         "mysqldump -p{} db", "sshpass -p {} ssh h", "curl -u me:{} h", "redis-cli -a {} ping")  # fmt: skip
QUOTED = ('"token": "{}"', "'api_key': '{}'", 'password = "{}"', '\\"access_token\\": \\"{}\\"',
          "(b'x-api-key', b'{}')",
          "{{'Authorization': 'Basic {}'}}", 'os.environ["HF_TOKEN"]="{}"', "--api-key '{}'", "auth=('me', '{}')",
          "curl -H 'Authorization: Bearer {}' h", "SecretStr api_key=SecretStr('{}')")  # fmt: skip
AROUND = st.sampled_from(
    (
        "",
        "Error: ",
        "step:1 - tokens:3 - ",
        "ValueError: 401 {'error': ",
        "pad_token=",
        "token ",
        "--foo ",
        "a=b, ",
        '"',
    )
)
AFTER = st.sampled_from(("", " next", ". You can", ", 'x': 1}", "\nnext line", ' "tokens": 5'))


@given(st.sampled_from(SHAPES), BODY, AROUND, AFTER)
def test_what_is_shaped_like_a_key_is_never_shown(shape: str, body: str, before: str, after: str) -> None:
    seen = mask(f"{before}{shape.format(body)}{after}")
    assert body not in seen and "q7" not in seen and HIDDEN in seen
    assert mask(seen) == seen


@given(st.sampled_from(GIVEN), PASSWORD, AROUND.filter(lambda text: text not in ("pad_token=",)), AFTER)
def test_what_is_given_to_a_name_of_a_secret_is_never_shown(
    form: str, body: str, before: str, after: str
) -> None:
    seen = mask(f"{before}{form.format(body)} {after}")
    assert "q7" not in seen
    assert mask(seen) == seen


@given(st.sampled_from(GIVEN[:12]), st.from_regex(r"[0-9]{10,12}|[0-9]{4,8}[a-z]{2,4}", fullmatch=True))
def test_a_secret_that_begins_as_a_number_does_is_one_all_the_same(form: str, body: str) -> None:
    assert body not in mask(form.format(body))


@given(st.sampled_from(QUOTED), st.text(f"{ALPHANUMERIC} ,;:=()", min_size=6), AROUND, AFTER)
def test_what_is_given_in_quotes_is_never_shown(form: str, body: str, before: str, after: str) -> None:
    if "Authorization" in form:
        body = body.replace(" ", "_")
    assert "q7" not in mask(f"{before}{form.format(f'q7{body}q7')}{after}")


@given(PASSWORD.filter(lambda text: "/" not in text and "@" not in text))
def test_who_asks_by_an_address_is_never_shown(body: str) -> None:
    assert mask(f"to postgres://me:{body}@host:5432/db") == "to postgres://***@host:5432/db"
    assert "q7" not in mask(f"GET https://h/x?access_token={body.replace('&', '')}&n=1")


@given(st.text())
def test_any_text_is_taken_and_masking_again_changes_nothing(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Incorrect API key provided: sk-proj-abcDEF123456. You", "Incorrect API key provided: sk-***. You"),
        ("key sk-ant-api03-abcdefgh used", "key sk-*** used"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer ***"),
        ("ANTHROPIC_API_KEY=abcdef12 next", "ANTHROPIC_API_KEY=*** next"),
        ("{'HF_TOKEN': 'hf_abcdef', 'x': 1}", "{'HF_TOKEN': '***', 'x': 1}"),
        ('"LIVERL_DOOR_KEY": "00ff00ff"', '"LIVERL_DOOR_KEY": "***"'),
        ("redis://user:secret@host:1", "redis://***@host:1"),
        ("clone https://0123abcd@host/x", "clone https://***@host/x"),
        ("user=x&token=abcdef&n=1", "user=x&token=***&n=1"),
        ("token=abcdef, n=1", "token=***, n=1"),
    ],
)
def test_only_the_secret_itself_is_hidden(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "token_ids=[1, 2, 3]",
        "max_tokens: 5",
        "tokens=12",
        "pad_token: 5, eos_token='</s>'",
        "'hf_key': None, task-sk-1",
        "step:3 - perf/total_num_tokens:1234 - trial/tokens_per_turn:1.5 - gateway/token_mismatch:0.0",
        "response/seconds_per_token:0.012 - actor/loss_per_token:nan",
        "loss_agg_mode=token-mean, prompt_key=prompt, reward_fn_key=data_source, image_key: images",
        "bos_token_id=1, decoder_start_token: <s>, next_token: 151643",
        "AddedToken(content='<|im_end|>'), pad_token=AddedToken('<pad>')",
        "json: Unexpected token: foobar",
        "KeyError: 'api_key'",
        "Bearer token required",
        "Bad credentials: try again",
        "--max-tokens 512 --eos-token x --max-num-batched-tokens 8192",
        "use --token to give one",
        "Avg prompt throughput: 12.3 tokens/s, GPU KV cache usage: 3%",
        "PWD=/home/me",
        "http://127.0.0.1:8002/v1 and git@host:a/b, image@sha256:00ff",
        "hf_tokenizer.py, hf_model=Qwen2ForCausalLM",
        "AuthenticationError: no key was given",
        '["/etc/passwd", "checkpoints", "secret", "policy"]',
        "DOCKER_HOST=ssh://me@far",
        "Bytes a token: what layers keep",
        "PRIMARY KEY: id, sort_key=name, KeyError: 3",
    ],
)
def test_ordinary_text_is_not_touched(text: str) -> None:
    assert mask(text) == text


def test_a_value_that_is_a_word_of_its_own_is_hidden_whole() -> None:
    assert mask_words(["x", "--api-key", "two words", "--max-tokens", "5"]) == [
        "x",
        "--api-key",
        HIDDEN,
        "--max-tokens",
        "5",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "post to https://hooks.slack.com/services/T0/B0/q7q7q7",
        "https://discord.com/api/webhooks/12345/q7q7q7-q7",
        "LIVERL_WEBHOOK=https://hooks.example.com/q7q7q7",
        '"webhook_url": "https://example.com/q7"',
        "Cookie: session=q7q7; other=q7",
        "Set-Cookie: id=q7q7q7; Path=/",
        "machine github.com login me password q7q7q7",
        "wandb login --relogin q7q7q7q7q7q7q7q7q7q7q7q7",
        "GET https://h.blob.core.windows.net/c?sv=1&sig=q7q7q7q7q7q7q7q7q7q7",
        "the password is 'q7q7'",
        "API_KEY_2=q7q7q7q7q7",
        "SECRET_KEY_BASE: q7q7q7q7q7",
        "nvapi-q7q7q7q7q7q7q7q7q7q7q7 r8_q7q7q7q7q7q7q7q7q7q7q7 dckr_pat_q7q7q7q7q7q7q7q7q7q7q7",
        "pypi-AgEq7q7q7q7q7q7q7q7q7q7q7q7 SG.q7q7q7q7q7q7q7q7q7.q7q7q7q7q7q7q7q7q7",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nq7q7q7\nq7q7q7==\n-----END OPENSSH PRIVATE KEY-----",
        '"-----BEGIN RSA PRIVATE KEY-----\\nq7q7q7\\n-----END RSA PRIVATE KEY-----"',
    ],
)
def test_what_its_place_gives_away_is_never_shown(text: str) -> None:
    seen = mask(text)
    assert "q7" not in seen and HIDDEN in seen
    assert mask(seen) == seen


@pytest.mark.parametrize(
    "text",
    [
        "Cookie: enabled",
        "login as root, password authentication is off",
        "the webhook gave no answer within 5 s",
        "RAY_TOKEN_1: 5",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
        "wandb login --relogin",
        "0123456789abcdef" * 4,
    ],
)
def test_what_only_looks_like_such_a_place_is_left_alone(text: str) -> None:
    assert mask(text) == text


@pytest.mark.parametrize("length", [64, 70])
def test_a_line_of_a_private_key_is_never_shown_alone(length: int) -> None:
    assert mask(("Ab1+" * 20)[:length]) == HIDDEN


FORMS = (
    "DB_PASS={}", "DB_PASS={},;q7&q7", "pass={})q7:q7", "pass={}", "user=me pass={} host=h", "SMTP_PASS: {}",
    "redis_pass='{}'", 'mysql-pass="{}"', "GET https://h/c?sv=1&sig={}", "sig={}q7q7", "api-key {}q7q7q7q7q7",
    "API key '{}q7q7q7q7q7'", "key=tgp_v1_{}q7q7q7q7q7", "wandb: login key {}q7q7q7q7q7q7q7",
    "Logging in with key {}q7q7q7q7q7q7q7", "auth={}", '{"auth": "{}"}', "registry_auth={}",
    "hvs.{}q7q7q7q7q7q7q7", "ya29.{}q7q7q7q7q7q7q7", "tvly-{}q7q7q7q7q7", "lsv2_pt_{}q7q7q7q7q7",
    "e2b_{}q7q7q7q7q7", "dtn_{}q7q7q7q7q7", "fw_{}q7q7q7q7q7", "MODAL_TOKEN_ID=ak-{}",
    "modal token set --token-id ak-{} --token-secret as-{}",
    "and hit enter, or press ctrl+c to quit: {}q7q7q7q7q7q7q7",
)  # fmt: skip
SECRET = st.text(ALPHANUMERIC, min_size=4, max_size=30).map(lambda text: f"q7{text}q7")


@given(st.sampled_from(FORMS), SECRET, AROUND.filter(lambda text: text != "pad_token="), AFTER)
def test_what_has_the_form_of_a_secret_beside_other_words_is_never_shown(
    form: str, body: str, before: str, after: str
) -> None:
    seen = mask(f"{before}{form.replace('{}', body)}{after}")
    assert "q7" not in seen and HIDDEN in seen
    assert mask(seen) == seen


@pytest.mark.parametrize(
    "text",
    [
        "pass rate=0.3, pass@1=0.51, pass@k: 0.3, pass: 10, fail: 2, pass=True, pass=1/3, pass=0.5",
        "forward_pass=0.31s backward_pass: 1.2 bwd_pass=slow1 all_pass=False first_pass=step12",
        "FORWARD_PASS=abc12345, NUM_PASS=x1, BackwardPass=abc123, bypass=route12, compass: north12",
        "key=reward, key=prompt_v1, sort key id_1234567890, KeyError: 'key=abc'",
        'author=me12345, authors: a1, auth=None, auth=basic, auth=oauth2, auth=\'required\', "auth": "basic"',
        "auth=HTTPBasicAuth('me', x1), auth=${AUTH_1}, --auth=enabled, auth: scram-sha-256",
        "sig=0.1, sig=9, sig=SIGTERM, sigma=0.25, sig=0x7ffd1234ab, (p<0.05, sig=1e-05)",
        "commit 0123456789abcdef0123456789abcdef01234567, key 0123456789abcdef0123456789abcdef01234567",
        "max_tokens=512, token_id=151643, token-id 5, 'token_ids': [1, 2], eos_token_id: 2",
        "as-is, ak-47, as-soon-as-possible, e2b_sandbox, fw_bw_time_ms=3, dtn_node, tvly-client",
        "API key environment variable, use an api-key header, api_key parameter of 2 lines",
        "pass=ok,fail:2 pass=5,fail=3; {'pass': True, 'auth': None}, pass=skipped;x",
        "auth:\n  kind1: a2b3c4d5\npass:\n  step12345x: 1\n",
        "authentication=on authorized 12 keys; test passed: abc123; bypassed=ab12cd",
    ],
)
def test_words_that_only_stand_beside_such_forms_are_not_touched(text: str) -> None:
    assert mask(text) == text
