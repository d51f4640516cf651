"""Calls the proxy with the vendors' SDKs for Python. Prints one JSON object per line: {target, case, error}.

Reads {echo, proxy, key, targets: {NAME: MODEL}} from stdin. test-conformance.mjs runs it.
"""

import base64
import json
import sys
import tempfile

import anthropic
import openai
from google import genai
from google.genai import types
from pydantic import BaseModel

given = json.load(sys.stdin)
QUESTION = "Four plain words here"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}


class Place(BaseModel):
    city: str


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def chat_cases(base, key, model):
    client = openai.OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0)
    messages = [{"role": "user", "content": QUESTION}]
    tools = [{"type": "function", "function": {"name": "weather", "parameters": CITY}}]
    create = client.chat.completions.create

    def text():
        response = create(model=model, messages=messages)
        check(QUESTION in response.choices[0].message.content, "the text")
        check(response.usage.total_tokens > 0, "the usage")

    def stream():
        options = {"include_usage": True}
        chunks = list(create(model=model, messages=messages, stream=True, stream_options=options))
        check(QUESTION in "".join(c.choices[0].delta.content or "" for c in chunks if c.choices), "the text")
        check(chunks[-1].usage is not None, "the usage")

    def tool():
        response = create(model=model, messages=messages, tools=tools, tool_choice="required")
        call = response.choices[0].message.tool_calls[0]
        check(call.function.name == "weather" and "city" in json.loads(call.function.arguments), "the call")
        check(response.choices[0].finish_reason == "tool_calls", "the finish reason")

    def tool_stream():
        with client.chat.completions.stream(model=model, messages=messages, tools=tools, tool_choice="required") as events:
            call = events.get_final_completion().choices[0].message.tool_calls[0]
        check("city" in json.loads(call.function.arguments), "the arguments")

    def tool_result():
        function = {"name": "weather", "arguments": '{"city": "Paris"}'}
        call = {"id": "call_123456789", "type": "function", "function": function}
        turns = [
            *messages,
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_123456789", "content": "18 degrees"},
        ]
        check(create(model=model, messages=turns, tools=tools).choices[0].message.content, "the text")

    def structured():
        parsed = client.chat.completions.parse(model=model, messages=messages, response_format=Place)
        check(isinstance(parsed.choices[0].message.parsed, Place), "the parsed object")

    return [text, stream, tool, tool_stream, tool_result, structured]


def responses_cases(base, key, model):
    client = openai.OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0)
    tools = [{"type": "function", "name": "weather", "parameters": CITY, "strict": True}]
    create = client.responses.create

    def text():
        response = create(model=model, input=QUESTION)
        check(QUESTION in response.output_text and response.usage.output_tokens > 0, "the text and the usage")

    def stream():
        with client.responses.stream(model=model, input=QUESTION) as events:
            kinds = [event.type for event in events]
            final = events.get_final_response()
        check("response.output_text.delta" in kinds and QUESTION in final.output_text, "the text")

    def call_in(response):
        return next(item for item in response.output if item.type == "function_call")

    def tool():
        call = call_in(create(model=model, input=QUESTION, tools=tools, tool_choice="required"))
        check(call.name == "weather" and "city" in json.loads(call.arguments), "the call")

    def tool_stream():
        with client.responses.stream(model=model, input=QUESTION, tools=tools, tool_choice="required") as events:
            check("city" in json.loads(call_in(events.get_final_response()).arguments), "the arguments")

    def tool_result():
        call = {"type": "function_call", "call_id": "call_123456789", "name": "weather", "arguments": '{"city": "Paris"}'}
        output = {"type": "function_call_output", "call_id": "call_123456789", "output": "18 degrees"}
        turns = [{"role": "user", "content": QUESTION}, call, output]
        check(create(model=model, input=turns, tools=tools).output_text, "the text")

    def structured():
        parsed = client.responses.parse(model=model, input=QUESTION, text_format=Place)
        check(isinstance(parsed.output_parsed, Place), "the parsed object")

    return [text, stream, tool, tool_stream, tool_result, structured]


def messages_cases(base, key, model):
    client = anthropic.Anthropic(base_url=base, api_key=key, max_retries=0)
    messages = [{"role": "user", "content": QUESTION}]
    tools = [{"name": "weather", "input_schema": CITY}]
    shared = {"model": model, "max_tokens": 500}
    forced = {"type": "tool", "name": "weather"}

    def text():
        response = client.messages.create(messages=messages, **shared)
        check(QUESTION in response.content[0].text and response.usage.output_tokens > 0, "the text and the usage")

    def stream():
        with client.messages.stream(messages=messages, **shared) as events:
            check(QUESTION in "".join(events.text_stream), "the text")
            check(events.get_final_message().stop_reason == "end_turn", "the stop reason")

    def tool():
        response = client.messages.create(messages=messages, tools=tools, tool_choice=forced, **shared)
        call = next(block for block in response.content if block.type == "tool_use")
        check(call.name == "weather" and "city" in call.input and response.stop_reason == "tool_use", "the call")

    def tool_stream():
        with client.messages.stream(messages=messages, tools=tools, tool_choice=forced, **shared) as events:
            blocks = events.get_final_message().content
        check(any(block.type == "tool_use" and "city" in block.input for block in blocks), "the call")

    def tool_result():
        call = {"type": "tool_use", "id": "toolu_123456789", "name": "weather", "input": {"city": "Paris"}}
        result = {"type": "tool_result", "tool_use_id": "toolu_123456789", "content": "18 degrees"}
        turns = [*messages, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        check(client.messages.create(messages=turns, tools=tools, **shared).content, "the content")

    def count():
        check(client.messages.count_tokens(model=model, messages=messages).input_tokens > 0, "the count")

    return [text, stream, tool, tool_stream, tool_result, count]


def google_cases(base, key, model):
    client = genai.Client(api_key=key, http_options=types.HttpOptions(base_url=base))
    function = {"name": "weather", "parameters_json_schema": CITY}
    calling = types.FunctionCallingConfig(mode="ANY")
    with_tool = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[function])],
        tool_config=types.ToolConfig(function_calling_config=calling),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    create = client.models.generate_content

    def text():
        response = create(model=model, contents=QUESTION)
        check(QUESTION in response.text and response.usage_metadata.total_token_count > 0, "the text and the usage")

    def stream():
        chunks = list(client.models.generate_content_stream(model=model, contents=QUESTION))
        check(QUESTION in "".join(chunk.text or "" for chunk in chunks), "the text")

    def tool():
        call = create(model=model, contents=QUESTION, config=with_tool).function_calls[0]
        check(call.name == "weather" and "city" in call.args, "the call")

    def tool_stream():
        chunks = client.models.generate_content_stream(model=model, contents=QUESTION, config=with_tool)
        calls = [call for chunk in chunks for call in chunk.function_calls or []]
        check(calls and "city" in calls[0].args, "the call")

    def tool_result():
        call = types.Part.from_function_call(name="weather", args={"city": "Paris"})
        result = types.Part.from_function_response(name="weather", response={"output": "18 degrees"})
        turns = [
            types.UserContent(QUESTION),
            types.ModelContent([call]),
            types.UserContent([result]),
        ]
        check(create(model=model, contents=turns).candidates[0].content.parts, "the parts")

    def structured():
        config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=Place)
        check(isinstance(create(model=model, contents=QUESTION, config=config).parsed, Place), "the parsed object")

    return [text, stream, tool, tool_stream, tool_result, structured]


def other_cases(base, key):
    """Returns the cases that need no translation: lists, errors, embeddings, images, transcription."""
    client = openai.OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0)

    def models():
        check("echo" in [model.id for model in client.models.list()], "OpenAI's list")
        check("echo" in [model.id for model in anthropic.Anthropic(base_url=base, api_key=key).models.list()], "Anthropic's")
        google = genai.Client(api_key=key, http_options=types.HttpOptions(base_url=base))
        check("models/echo" in [model.name for model in google.models.list()], "Google's")

    def embeddings():
        check(len(client.embeddings.create(model="echo", input="a", dimensions=8).data[0].embedding) == 8, "the size")

    def image():
        data = client.images.generate(model="echo", prompt="a red square", response_format="b64_json").data
        check(base64.b64decode(data[0].b64_json)[1:4] == b"PNG", "the image")

    def transcription():
        with tempfile.NamedTemporaryFile(suffix=".wav") as file:
            file.write(b"RIFF0000WAVE")
            file.flush()
            with open(file.name, "rb") as audio:
                check(client.audio.transcriptions.create(model="echo", file=audio).text, "the text")

    def errors():
        # The proxy validates what it translates, and the echo responds in the client's dialect.
        wrong = {"messages": [{"role": "nobody", "content": 5}], "model": "echo"}
        try:
            client.chat.completions.create(**wrong)
            check(False, "OpenAI's BadRequestError")
        except openai.BadRequestError as error:
            check(error.body.get("message"), "OpenAI's message")
        try:
            anthropic.Anthropic(base_url=base, api_key=key, max_retries=0).messages.create(max_tokens=5, **wrong)
            check(False, "Anthropic's BadRequestError")
        except anthropic.BadRequestError as error:
            check(error.body["error"]["type"] == "invalid_request_error", "Anthropic's type")

    return [models, embeddings, image, transcription, errors]


def run(target, cases):
    for case in cases:
        error = None
        try:
            case()
        except Exception as failure:  # Every failure of an SDK is a result.
            error = f"{type(failure).__name__}: {failure}"[:500]
        print(json.dumps({"target": target, "case": case.__name__, "error": error}), flush=True)


FAMILIES = {"chat": chat_cases, "responses": responses_cases, "messages": messages_cases, "google": google_cases}
for family, create_cases in FAMILIES.items():
    run(f"{family}: echo", create_cases(given["echo"], given["key"], "echo"))
    for name, model in given["targets"].items():
        run(f"{family}: {name}", create_cases(given["proxy"], given["key"], model))
run("other: echo", other_cases(given["echo"], given["key"]))
